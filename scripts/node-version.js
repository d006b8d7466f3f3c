// Plain JavaScript, because an older Node fails on the types of the other scripts before they could print the reason.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This is Node ${process.versions.node}, and Steady needs 22.18 or newer. Run \`npm ci\`, which brings Node 24 for Linux (glibc) and Windows; elsewhere install Node 24.`,
  );
  process.exit(1);
}
