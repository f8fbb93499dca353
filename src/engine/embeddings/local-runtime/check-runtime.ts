import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../errors/index.js';
import { runProgram } from './run-program.js';
import { RUNTIME_PACKAGE } from './runtime-package.js';

/**
 * Asks the library for its native part, which loads it; a binary that does not fit the processor
 * ends this process, not svc. From a file: the library cannot test its binary from `node -e`.
 */
const CHECK = `
const { getLlama } = await import('${RUNTIME_PACKAGE}');
const llama = await getLlama({
  gpu: process.argv[2] === 'gpu' ? 'auto' : false,
  build: 'never',
  skipDownload: true,
  progressLogs: false,
  logLevel: 'error',
});
const { gpu } = llama;
await llama.dispose();
process.stdout.write(JSON.stringify({ gpu }) + '\\n', () => process.exit(0));
`;

/** What a runtime said of itself. */
export interface RuntimeCheck {
  /** What it computes with: `cuda`, `vulkan`, `metal`; null means the processor alone. */
  readonly gpu: string | null;
}

/** How a runtime is tried. */
export interface CheckOptions {
  readonly gpu: boolean;
  readonly nodePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Loads an installed runtime in a process of its own.
 *
 * @param folder holds its `node_modules`
 * @throws SvcError PROVIDER_INSTALL_FAILED when it does not load; the signal's reason
 */
export async function checkRuntime(folder: string, options: CheckOptions): Promise<RuntimeCheck> {
  const file = join(folder, 'check.mjs');
  writeFileSync(file, CHECK);
  const { nodePath, env, signal } = options;
  const args = [file, options.gpu ? 'gpu' : 'cpu'];
  const run = await runProgram({ command: nodePath, args, cwd: folder, env }, signal);
  rmSync(file, { force: true });
  const answer = run.code === 0 ? readAnswer(run.stdout) : undefined;
  if (answer !== undefined) return answer;
  const how = run.signal === null ? `code ${run.code}` : run.signal;
  const words = /^\S*Error: (.*)$/mu.exec(run.stderr)?.[1] ?? '';
  throw new SvcError(
    'PROVIDER_INSTALL_FAILED',
    `${RUNTIME_PACKAGE} was installed but does not run here (${how})${words === '' ? '' : `: ${words}`}`,
    {
      hint: options.gpu
        ? 'try without --gpu, or use another provider: svc provider list shows them'
        : 'use another provider: svc provider list shows them; ollama and lmstudio run models on this machine too',
      details: { reason: 'broken' },
    },
  );
}

function readAnswer(stdout: string): RuntimeCheck | undefined {
  const gpu = /^\{"gpu":(?:false|"(\w+)")\}$/mu.exec(stdout);
  return gpu === null ? undefined : { gpu: gpu[1] ?? null };
}
