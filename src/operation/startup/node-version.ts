// Must be the first import: later ones may fail on an older Node.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Steady runs on Node 22.18 or newer, and this is Node ${process.versions.node}.`);
  process.exit(1);
}
