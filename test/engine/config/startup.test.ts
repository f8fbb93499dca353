import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('start without a configuration');

const ENTRY = fileURLToPath(new URL('../../../src/engine/config/index.ts', import.meta.url));

/** Source files that are loaded together with an entry, before any dynamic import. */
function loadedInputs(metafile: Metafile, entry: string): readonly string[] {
  const files: string[] = [];
  const visit = (file: string): void => {
    if (files.includes(file)) return;
    files.push(file);
    for (const { kind, path } of metafile.outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in metafile.outputs) visit(path);
    }
  };
  visit(entry);
  return files.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
}

test('neither the schema nor a parser is loaded before a file is found', async () => {
  const { metafile } = await build({
    entryPoints: { entry: ENTRY },
    outdir: 'unused',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    metafile: true,
  });
  const [entry] = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint) ?? [''];
  const early = loadedInputs(metafile, 'unused/entry.js');
  assert.ok(entry !== '' && early.some((file) => file.endsWith('config/defaults.ts')));
  assert.equal(
    early.filter((file) => /node_modules\/(?!fastest-levenshtein)|config\/schema\//.test(file)),
    [],
  );
});

test.run();
