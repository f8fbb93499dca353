/**
 * What `import … from 'fast-check'` gives in every test, by `paths` in tsconfig.json. The inputs of properties follow
 * from the source (test/run.ts), so that a failure is there again in the next run: a machine that runs `npm test` on the
 * same commit gets the same verdict.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const { SVC_TEST_SEED: seed } = process.env;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
// biome-ignore lint/style/noDefaultExport: as fast-check does
export default fc;
