// Must be the first import: later ones may fail on an older Node.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Steady needs Node 22.18 or newer, and this is ${process.versions.node}. \`npm start\` brings its own.`,
  );
  process.exit(1);
}
