import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SvcError } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { makeFolders, SHARED_FOLDER_MODE } from '../support/files.js';
import { realOrGiven } from '../support/paths.js';
import { replaceFile } from '../support/replace-file.js';
import { singleQuoted } from '../support/text.js';

/** Shells whose completion svc can install. */
export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** Where completion goes; absolute paths. */
export interface CompletionPlan {
  readonly shell: CompletionShell;
  readonly scriptFile: string;
  /** What reads the script at the start of the shell; undefined where the shell finds it itself. */
  readonly startup: { readonly file: string; readonly line: string } | undefined;
  readonly isInstalled: boolean;
}

const MARK = '# svc completion';

/**
 * Plans where the completion of a shell goes: a script, and a line in the startup file that reads it. The script
 * is a file because running svc at each start of a shell would delay it.
 *
 * @param shell undefined for the one of `$SHELL`
 * @throws SvcError USAGE where that is none of {@link COMPLETION_SHELLS}, or the startup file is none
 */
export function planCompletion(
  shell: CompletionShell | undefined,
  { env, homeDir, state, platform }: EngineContext & { readonly platform: NodeJS.Platform },
): CompletionPlan {
  const name = shell ?? COMPLETION_SHELLS.find((known) => known === basename(env['SHELL'] ?? ''));
  if (name === undefined) {
    throw new SvcError(
      'USAGE',
      `cannot tell which shell you use (SHELL is "${env['SHELL'] ?? ''}")`,
      { hint: `name it: svc completion install ${COMPLETION_SHELLS.join('|')}` },
    );
  }
  if (name === 'fish') {
    const config = env['XDG_CONFIG_HOME'] || join(homeDir, '.config');
    const scriptFile = join(config, 'fish/completions/svc.fish');
    return { shell: name, scriptFile, startup: undefined, isInstalled: existsSync(scriptFile) };
  }
  const scriptFile = join(state.stateDir, 'completion', `svc.${name}`);
  const folder = name === 'zsh' ? env['ZDOTDIR'] || homeDir : homeDir;
  const file = join(folder, name === 'zsh' ? '.zshrc' : bashFile(homeDir, platform));
  const quoted = singleQuoted(scriptFile);
  const line = `${name === 'zsh' ? zshLine(quoted) : bashLine(quoted)} ${MARK}`;
  const isInstalled = bytesOf(file).includes(asBytes(line)) && existsSync(scriptFile);
  return { shell: name, scriptFile, startup: { file, line }, isInstalled };
}

/**
 * What a new bash reads. Terminals of macOS start login shells, which read no `.bashrc`, only the first of these; creating
 * one would keep bash from reading those after it.
 */
function bashFile(homeDir: string, platform: NodeJS.Platform): string {
  if (platform !== 'darwin') return '.bashrc';
  const files = ['.bash_profile', '.bash_login', '.profile'] as const;
  return files.find((name) => existsSync(join(homeDir, name))) ?? files[0];
}

/** The script has constants of its own, so it must not be read twice. */
function bashLine(script: string): string {
  return `[ -f ${script} ] && ! declare -F __svc_complete >/dev/null && . ${script}`;
}

/**
 * Completion functions of zsh need compinit to have run. Without `-i` it would ask at each start, where Homebrew's folders
 * are writable by a group.
 */
function zshLine(script: string): string {
  return `[ -f ${script} ] && { (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }; . ${script}; }`;
}

/** Writes the script and the line of a plan; everything else in the startup file stays. */
export function installCompletion({ scriptFile, startup }: CompletionPlan, script: string): void {
  makeFolders(dirname(scriptFile), SHARED_FOLDER_MODE);
  replaceFile(scriptFile, script, 0o644);
  if (startup === undefined) return;
  const others = withoutLine(bytesOf(startup.file));
  const end = others === '' || others.endsWith('\n') ? '' : '\n';
  writeStartup(startup.file, `${others}${end}${asBytes(startup.line)}\n`);
}

/** Removes the script and the line. @returns whether there was anything to remove */
export function removeCompletion({ scriptFile, startup }: CompletionPlan): boolean {
  const hadScript = existsSync(scriptFile);
  rmSync(scriptFile, { force: true });
  const bytes = startup === undefined ? '' : bytesOf(startup.file);
  const rest = withoutLine(bytes);
  if (startup !== undefined && rest !== bytes) writeStartup(startup.file, rest);
  return hadScript || rest !== bytes;
}

/** Startup files are often links into a folder of dotfiles, which stay links. */
function writeStartup(file: string, bytes: string): void {
  const target = realOrGiven(file);
  makeFolders(dirname(target), SHARED_FOLDER_MODE);
  const content = Buffer.from(bytes, BYTES);
  replaceFile(target, content, statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644);
}

function withoutLine(bytes: string): string {
  return bytes
    .split('\n')
    .filter((line) => !line.endsWith(MARK))
    .join('\n');
}

/** One character for each byte: startup files need not be UTF-8, and the rest of them stays as it is. */
const BYTES = 'latin1';

/** @throws SvcError USAGE for a folder, which a container makes of a file to mount that is missing, and for a pipe */
function bytesOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return '';
  if (stats.isFile()) return readFileSync(file, BYTES);
  const hint = 'move it away and run the command again';
  throw new SvcError('USAGE', `${file} is not a regular file`, { hint });
}

function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString(BYTES);
}
