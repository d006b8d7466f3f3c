// Used in package.json as `node scripts/on-windows.js && node … || exec node …`. Elsewhere the service takes the place
// of the shell of npm's scripts: dash would stay between npm and node, and npm signals only the shell, which ends
// without passing the signal on, and the service keeps running. cmd.exe has neither `exec` nor such signals. What npm
// appends to the line reaches its last command.
process.exitCode = process.platform === 'win32' ? 0 : 1;
