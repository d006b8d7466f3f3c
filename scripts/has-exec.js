// `node scripts/has-exec.js && exec node … || node …` in package.json: whether the shell of npm's scripts can
// become the program that it starts. npm passes a signal to its shell only, and dash would end without
// passing it on: the service would be left running. cmd.exe knows no `exec`, and no such signals.
process.exitCode = process.platform === 'win32' ? 1 : 0;
