import { readFileSync } from 'node:fs';

// `node scripts/release-notes.ts TAG`: what CHANGELOG.md says of that version, for the release of its tag. Refuses a tag
// that is not the version of package.json, or of which nothing is said.

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const [text = ''] = sections.filter((section) => section.startsWith(`[${version}]`));
const notes = text.replace(/^.*\n/, '').trim();

if (tag !== `v${version}`) {
  console.error(`The tag is ${tag}, and the version v${version}: one of them is wrong.`);
  process.exitCode = 1;
} else if (!notes) {
  console.error(`CHANGELOG.md has no section [${version}]: write it.`);
  process.exitCode = 1;
} else console.log(notes);
