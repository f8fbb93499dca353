import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PEAK_HOOK, readPeak } from './measure.js';

/** A process to run once. */
export interface Run {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Input on stdin. */
  readonly input?: string | undefined;
  /** For a long-lived command: its start is complete when it prints this, and it is then stopped. */
  readonly ready?: RegExp | undefined;
  /** Exit codes that are not failures. */
  readonly exits?: readonly number[] | undefined;
}

/** Time of a run until it exits or is ready. */
export async function timeRun(run: Run): Promise<number> {
  return (await runOnce(run, run.args)).tookMs;
}

/** Peak resident memory in MiB, in a run that is not timed. */
export async function peakOf(run: Run): Promise<number> {
  const { stderr, residentMb } = await runOnce(run, [...PEAK_HOOK, ...run.args]);
  return residentMb ?? readPeak(stderr);
}

interface FinishedRun {
  readonly tookMs: number;
  readonly stderr: string;
  /** For a process that is stopped when it is ready. Linux only. */
  readonly residentMb: number | undefined;
}

function runOnce(run: Run, args: readonly string[]): Promise<FinishedRun> {
  const { name, env, cwd, input = '', ready, exits = [0] } = run;
  const path = process.env['PATH'] ?? '';
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { cwd, env: { PATH: path, ...env } });
    const texts = { stdout: '', stderr: '' };
    let tookMs: number | undefined;
    let residentMb: number | undefined;
    const read = (stream: 'stdout' | 'stderr', text: string): void => {
      texts[stream] += text;
      if (tookMs !== undefined || ready?.test(texts.stdout + texts.stderr) !== true) return;
      tookMs = performance.now() - started;
      residentMb = highWaterMb(child);
      child.kill('SIGTERM');
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => read('stdout', text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => read('stderr', text));
    child.stdin.on('error', () => undefined);
    if (ready === undefined) child.stdin.end(input);
    else child.stdin.write(input);
    child.on('error', reject);
    child.on('exit', () => {
      if (ready === undefined) tookMs = performance.now() - started;
    });
    child.on('close', (code) => {
      const failed = ready === undefined && !exits.includes(code ?? -1);
      if (failed || tookMs === undefined) {
        reject(new Error(`${name} failed (${code}): ${texts.stderr}${texts.stdout}`));
      } else resolve({ tookMs, stderr: texts.stderr, residentMb });
    });
  });
}

function highWaterMb({ pid }: ChildProcessWithoutNullStreams): number | undefined {
  const status = process.platform === 'linux' ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  const kb = /VmHWM:\s+(\d+)/.exec(status)?.[1];
  return kb === undefined ? undefined : Number(kb) / 1024;
}
