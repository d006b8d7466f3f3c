import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(text('package.json'));

describe('The bill of materials', () => {
  interface Component {
    'bom-ref': string;
    hashes?: object[];
    licenses?: object[];
  }

  it('lists all that production needs with its version and checksum, and nothing of the tools', () => {
    const run = spawnSync(process.execPath, ['scripts/sbom.ts'], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    expect(run.status, run.stderr).toBe(0);
    const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(run.stdout);
    const { name, version } = manifest;
    expect([bomFormat, metadata.component.name, metadata.component.version]).toEqual([
      'CycloneDX',
      name,
      version,
    ]);
    expect(specVersion).toMatch(/^1\.[5-9]$/);
    const listed: string[] = components.map((one: Component) => one['bom-ref']);
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const missing = Object.entries(needed)
      .map((pair) => pair.join('@'))
      .filter((one) => !listed.includes(one));
    expect(missing).toEqual([]);
    const { packages } = JSON.parse(text('package-lock.json'));
    const isTool = ([name]: [string, unknown]) => packages[`node_modules/${name}`].dev;
    const tools = Object.entries(manifest.devDependencies)
      .filter(isTool)
      .map((pair) => pair.join('@'));
    expect(tools.length).toBeGreaterThan(20);
    expect(tools.filter((one) => listed.includes(one))).toEqual([]);
    const bare = components.filter(({ hashes, licenses }: Component) => !hashes?.length || !licenses?.length);
    expect(bare.map((one: Component) => one['bom-ref'])).toEqual([]);
    const linked = dependencies.flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn);
    expect([...new Set<string>(linked)].filter((ref) => !listed.includes(ref))).toEqual([]);
  });
});
