// Used in package.json as `node scripts/has-exec.js && exec node … || node …`: tells whether the shell of npm's
// scripts knows `exec`. Without `exec`, dash stays between npm and node: npm signals only the shell, which ends
// without passing the signal on, and the service keeps running. cmd.exe has neither `exec` nor such signals.
process.exitCode = process.platform === 'win32' ? 1 : 0;
