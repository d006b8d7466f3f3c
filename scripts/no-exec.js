// Used in package.json as `node scripts/no-exec.js && node … || exec node …`: tells whether the shell of npm's scripts
// lacks `exec`. Without `exec`, dash stays between npm and node: npm signals only the shell, which ends without passing
// the signal on, and the service keeps running. cmd.exe has neither `exec` nor such signals. What npm appends to the
// line reaches its last command.
process.exitCode = process.platform === 'win32' ? 0 : 1;
