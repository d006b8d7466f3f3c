import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// `node scripts/sbom.ts`: the bill of materials (CycloneDX) of what production needs, as `npm sbom` writes it. Its own
// `--omit=dev` also leaves out packages that production and tools both need, such as graphql: so all are asked for, and
// the lockfile says which of them belong to the tools alone.

interface Locked {
  version: string;
  dev?: boolean;
}

interface Linked {
  ref: string;
  dependsOn?: string[];
}

const lockfile: { name: string; packages: Record<string, Locked> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);

const needed = new Set(
  Object.entries(lockfile.packages)
    .filter(([place, { dev }]) => place !== '' && !dev)
    .map(([place, { version }]) => `${place.split('node_modules/').at(-1)}@${version}`),
);

const asked = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const bill = JSON.parse(execFileSync('npm', asked, { encoding: 'utf8', maxBuffer: 2 ** 28 }));

const { component } = bill.metadata;
const isNeeded = (ref: string) => ref === component['bom-ref'] || needed.has(ref);
component.name = lockfile.name; // npm takes the name of the folder
bill.components = bill.components.filter((one: Record<string, string>) => isNeeded(one['bom-ref'] ?? ''));
bill.dependencies = bill.dependencies
  .filter(({ ref }: Linked) => isNeeded(ref))
  .map(({ ref, dependsOn = [] }: Linked) => ({ ref, dependsOn: dependsOn.filter(isNeeded) }));
console.log(JSON.stringify(bill, null, 2));
