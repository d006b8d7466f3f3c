// Runs the commands that its argument lists, one after the other, and prints how each ended: by its last line, or by
// `process.exit`.

class Exit extends Error {}

process.exit = (code) => {
  process.exitCode = code;
  throw new Exit();
};
const called = JSON.parse(process.argv[2]);
const write = process.stdout.write.bind(process.stdout);
const ended = [];
for (const [index, { script, args }] of called.entries()) {
  let output = '';
  process.stdout.write = (text) => {
    output += text;
    return true;
  };
  console.log = (line) => process.stdout.write(`${line}\n`);
  console.error = console.log;
  process.exitCode = 0;
  process.argv = [process.execPath, script, ...args];
  try {
    await import(new URL(`dist/src/operation/commands/${script}.js?${index}`, `file://${process.cwd()}/`));
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  ended.push({ code: process.exitCode, output });
}
process.exitCode = 0;
write(JSON.stringify(ended));
