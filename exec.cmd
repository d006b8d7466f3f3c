@rem cmd.exe has no "exec". In the scripts of package.json it finds this file, because it looks in its own folder first.
@%*
