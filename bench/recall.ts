/**
 * `npm run bench -- recall`: `svc memory recall` as the hook that an agent runs before every turn, as a whole
 * process, compared with `node` alone.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCorpus } from './corpus.js';
import { peakMemory, type Subject, timeInTurn } from './measure.js';
import { report } from './report.js';
import type { Row } from './table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');

const CORPUS_BYTES = 16e6;
const ROUNDS = 40;
const TARGET = '2.50 ×';

function main(): void {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-recall-'));
  try {
    const corpus = buildCorpus(join(dir, 'ws/memory'), join(root, 'node_modules'), CORPUS_BYTES);
    const on = configuration(dir, 'on', ['main']);
    const off = configuration(dir, 'off', []);
    const bare: Subject = { name: 'node -e 0', args: ['-e', '0'] };
    const kept = hook(dir, 'its answer is cached', on);
    const subjects: readonly Subject[] = [
      bare,
      {
        ...hook(dir, 'memory is searched', on),
        before: () => rmSync(stateOf(dir), { force: true }),
      },
      kept,
      hook(dir, 'a gate is closed', off),
    ];
    checkAnswer(kept);
    const [baseline, ...timings] = timeInTurn(subjects, ROUNDS);
    const ms = (value: number): string => `${value.toFixed(0)} ms`;
    const rows = timings.map(({ medianMs }, at): Row => {
      const { medianMs: least } = baseline ?? { medianMs: Number.NaN };
      const name = subjects[at + 1]?.name ?? '';
      return {
        what: name,
        value: ms(medianMs),
        baseline: ms(least),
        ratio: `${(medianMs / least).toFixed(2)} ×`,
        target: TARGET,
      };
    });
    const memory = `${peakMemory(kept).toFixed(1)} MiB`;
    rows.push({
      what: 'its peak memory',
      value: memory,
      baseline: `${peakMemory(bare).toFixed(1)} MiB`,
    });
    const size = `${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB`;
    report('recall', `\`svc memory recall --hook claude-code\`, ${size}`, rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function configuration(dir: string, name: string, agents: readonly string[]): string {
  const file = join(dir, `${name}.json`);
  const entry = { enabled: true, config: { agents, cacheTtlMs: 120_000 } };
  const config = {
    agents: { defaults: { workspace: 'ws', memorySearch: { provider: 'none' } } },
    plugins: { entries: { 'active-memory': entry } },
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function stateOf(dir: string): string {
  return join(dir, 'home/plugins/active-memory/state.json');
}

function hook(dir: string, name: string, config: string): Subject {
  const prompt = 'how do I install the package on windows without a compiler?';
  return {
    name,
    args: [program, 'memory', 'recall', '--hook', 'claude-code', '--config', config],
    env: { SVC_HOME: join(dir, 'home') },
    input: JSON.stringify({ session_id: 'b-1', hook_event_name: 'UserPromptSubmit', prompt }),
  };
}

/** Builds the index and checks that something is recalled: an empty result would be fast too. */
function checkAnswer({ args, env, input = '' }: Subject): void {
  const [, , , ...rest] = args;
  const target = rest.slice(rest.indexOf('--config'));
  const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const;
  execFileSync(process.execPath, [program, 'memory', 'index', ...target], options);
  const answer = execFileSync(process.execPath, args, { ...options, input });
  if (!answer.includes('additionalContext')) throw new Error('the hook recalled nothing');
}

main();
