// Plain JavaScript, because an older Node fails on the types of the other scripts before they could print the reason.
import { existsSync } from 'node:fs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This is Node ${process.versions.node}, and Steady needs 22.18 or newer. Run \`npm ci\`, which brings Node 24 for Linux (glibc) and Windows; elsewhere install Node 24.`,
  );
  process.exit(1);
}
if (!existsSync(new URL('../node_modules', import.meta.url))) {
  console.error('The packages that Steady needs are not installed. Run `npm ci` first.');
  process.exit(1);
}
