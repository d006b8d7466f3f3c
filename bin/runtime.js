// The first import, in words that an old Node can read: later ones may fail there before they could say why.
const { node, bun, deno } = process.versions;
const [major, minor] = node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 18);
if (bun || deno || isOld) {
  const found = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
  console.error(`Steady runs on Node 22.18 or newer, and this is ${found}.`);
  process.exit(1);
}
