import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { FlagInput, Input, ParserOutput } from '@oclif/core/interfaces';
import { type LoadedConfig, loadConfig } from '../engine/config/index.js';
import { SvcError, type Warning } from '../engine/errors/index.js';
import { createSecretMask, environmentSecrets } from '../engine/masking/index.js';
import type { NoteOptions } from '../engine/notes/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { isRecord, shellWord } from '../engine/support/text.js';
import { safeLines } from '../ui/safe-text.js';
import { createStyle, type View } from '../ui/style.js';
import { createWaitingLine, type WaitingLine } from '../ui/waiting-line.js';
import type { CommandContext } from './command-context.js';
import { assignVariables, CommandLine, variableOf } from './command-line.js';
import { createContext } from './context.js';
import { type LeanConfig, wordsBeforeDashes } from './fast-start.js';
import type { TimeContext } from './flag-times.js';
import { globalFlags } from './flags.js';
import { print, printJson, terminalStreams } from './print.js';
import { type ErrorReport, exitCodeOf, formatErrorText, reportError } from './report-error.js';
import { createShape, type OutputShape, wantsShape } from './shape-output.js';
import { writeStderr } from './stderr.js';
import type { StepsOptions } from './steps.js';
import { type TerminalSupport, terminalSupport } from './terminal.js';

type Values = Readonly<Record<string, unknown>>;

/** The flags of all commands that decide what is read, and how work is shown. */
interface SharedFlags {
  readonly config?: string | undefined;
  readonly plain: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The values of the flags that choose a memory, by name. */
export type ChosenTarget = Readonly<Record<string, string | undefined>>;

/** A command in a hint: in quotes, or up to its end, where the command itself may have quotes. */
const COMMAND = /(?<=")svc [a-z][^"]*(?=")|(?<=: )svc [a-z].*$/gu;

/** How long work may take to stop before a note says how to end it at once. */
const PATIENCE_MS = 1000;

/** The address of a service, as Kubernetes writes it. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//u;

/**
 * Base of every command. A command parses its flags, makes one engine call, writes text through {@link write} and
 * returns the JSON form, which is printed with `--json`.
 *
 * It fixes oclif's JSON mode: exit codes are the same with and without `--json`, errors contain only known fields,
 * warnings are part of the document, and no colour codes get into it.
 */
export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  private readonly line: CommandLine;

  constructor(argv: string[], config: LeanConfig) {
    // A command reads only this part of oclif's configuration.
    super(argv, config as Config);
    const flags: FlagInput = { ...this.ctor.baseFlags, ...this.ctor.flags };
    assignVariables(flags);
    this.line = new CommandLine(argv, { flags, args: this.ctor.args ?? {} });
  }

  /** Learns every secret that is read; everything printed goes through it. */
  protected readonly mask = createSecretMask(environmentSecrets(process.env));

  /** True if the output is text of the user's files, which must not be changed. */
  protected readonly answersVerbatim: boolean = false;
  /** Whether the JSON form gets the warnings of the run; false for a document whose fields are defined elsewhere. */
  protected readonly addsWarnings: boolean = true;
  /** The flag with which hooks of agents run this command: stdout is for the agent, which must not see a failure. */
  protected readonly hookFlag: string | undefined;

  /** As typed; the defaults until the command line is parsed. */
  protected shared: SharedFlags = { plain: false, quiet: false, verbose: false };

  private readonly warnings: Warning[] = [];
  private cachedContext: EngineContext | undefined;
  private shape: OutputShape | undefined;
  private printsLines = false;
  private waiting: WaitingLine | undefined;
  /** Whether the command shows its work, so that nothing else may be drawn beside it. */
  private showsWork = false;
  private readonly interruption = new AbortController();
  private stopsInOrder = false;
  /** What an interruption keeps of the work that began, and how to continue. */
  protected interruptHint: string | undefined;
  private showStopping = (text: string): void => this.note(text);
  private readonly onInterrupt = (): void => {
    this.interrupt();
    setTimeout(() => this.noteStopping(), PATIENCE_MS).unref();
  };

  /** Parses, runs and reports; a failed command does not throw (see {@link catch}). */
  async start(): Promise<void> {
    await this._run();
  }

  abstract override run(): Promise<object>;

  protected override async init(): Promise<void> {
    this.setGracefulInterrupt(true);
    this.dropServiceLinks();
  }

  /** Kubernetes sets variables for each service of a namespace: for one named "svc", SVC_PORT is an address. */
  private dropServiceLinks(): void {
    for (const { env } of Object.values(this.ctor.flags ?? {})) {
      const value = env === undefined ? undefined : process.env[env];
      if (env === undefined || value === undefined || !SERVICE_LINK.test(value)) continue;
      delete process.env[env];
      this.addWarning({
        code: 'ENVIRONMENT_IGNORED',
        message: `ignoring ${env}: ${value} is the address of a Kubernetes service`,
        hint: 'set enableServiceLinks: false in the pod, or rename the service',
      });
    }
  }

  protected override async finally(): Promise<void> {
    this.setGracefulInterrupt(false);
  }

  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options?: Input<F, B, A>,
  ): Promise<ParserOutput<F, B, A>> {
    const words = this.line.forParser(process.env);
    // oclif would read a missing argument from stdin if any came within 10 ms: in a loop that reads lines, the next line.
    for (const arg of Object.values(this.ctor.args ?? {})) arg.ignoreStdin = true;
    const parsed = await super.parse(options, words).catch((error: unknown) => {
      throw this.line.explained(error, process.env);
    });
    this.shared = { ...this.shared, ...parsed.flags };
    if (this.shapesOutput) this.shape = await createShape(parsed.flags);
    return parsed;
  }

  /** Whether a part of the JSON document is printed, or another form of it. */
  private get shapesOutput(): boolean {
    return wantsShape(this.line.words);
  }

  /** Whether a flag was typed, and not only set by its variable. */
  protected isTyped(name: string): boolean {
    return this.line.isTyped(name);
  }

  /** Prints lines as they come instead of one document, for output that does not end. @throws SvcError USAGE */
  protected switchToLines(flag: string): void {
    this.printsLines = true;
    if (!this.shapesOutput) return;
    throw new SvcError('USAGE', `${flag} cannot be used with --fields, --jq or --template`, {
      hint: `pipe the lines of ${flag} --json into jq`,
    });
  }

  /** True with `--json` (before a `--`), what shapes it, or `SVC_JSON` in the environment. */
  override jsonEnabled(): boolean {
    if (this.isHook()) return false;
    if (this.shapesOutput) return true;
    // The same values that oclif accepts for the variables of other flags.
    const variable = process.env['SVC_JSON']?.toLowerCase() ?? '';
    return (
      wordsBeforeDashes(this.line.words).includes('--json') ||
      ['1', 'true', 'y', 'yes'].includes(variable)
    );
  }

  protected override logJson(json: unknown): void {
    const output = this.answersVerbatim ? json : this.mask.data(json);
    if (this.printsLines) {
      if (isRecord(output) && 'error' in output) printJson(`${JSON.stringify(output)}\n`);
      return;
    }
    try {
      const text = this.shape?.(output) ?? JSON.stringify(output, null, 2);
      printJson(withLineEnd(text));
    } catch (error) {
      // The command itself is done: only what was to be printed of its result is wrong.
      this.reportFailure(error);
    }
  }

  protected override toSuccessJson(result: unknown): unknown {
    return this.addsWarnings && isRecord(result) ? { ...result, warnings: this.warnings } : result;
  }

  protected override toErrorJson(error: unknown): { error: ErrorReport } {
    return { error: this.reportOf(error) };
  }

  protected override async catch(error: Error): Promise<void> {
    if (!this.isHook()) {
      this.reportFailure(error);
      return;
    }
    writeStderr(formatErrorText(this.reportOf(error)));
    // Other codes stop the agent, or make it refuse the prompt.
    process.exitCode = 0;
  }

  /** Whether a hook runs this command; works before the flags are parsed, and if they cannot be. */
  private isHook(): boolean {
    const flag = this.hookFlag;
    return flag !== undefined && (this.isTyped(flag) || Boolean(process.env[variableOf(flag)]));
  }

  private reportOf(error: unknown): ErrorReport {
    const report = reportError(error, this.mask);
    return { ...report, hint: report.hint && this.hintFor(report.hint) };
  }

  /** Commands in a hint get the flags that chose what this one works on: without them, they would be about another. */
  protected hintFor(hint: string): string {
    return hint.replaceAll(COMMAND, (command) => {
      const chosen = { ...this.targetFor(command), config: this.shared.config };
      const added = Object.entries(chosen).flatMap(([name, value]) =>
        value === undefined || command.includes(`--${name} `)
          ? []
          : [`--${name} ${shellWord(value)}`],
      );
      return [command, ...added].join(' ');
    });
  }

  /** The memory that the flags chose, for a command in a hint that is about one. */
  protected targetFor(_command: string): ChosenTarget {
    return {};
  }

  private reportFailure(error: unknown): void {
    const report = this.reportOf(error);
    this.setExitCode(exitCodeOf(report));
    if (this.jsonEnabled() && !this.shapesOutput) {
      this.logJson(this.toErrorJson(error));
      return;
    }
    writeStderr(formatErrorText(report));
    const isVerbose = this.line.words.includes('--verbose') && report.code !== 'USAGE';
    if (report.code === 'BUG' || isVerbose) {
      writeStderr(
        `${safeLines(this.mask.text(error instanceof Error ? (error.stack ?? '') : ''))}\n`,
      );
    }
  }

  /**
   * Ctrl-C: the first lets the work finish its transaction, the second exits immediately, as does the first where no
   * work would notice it.
   */
  protected interrupt(): void {
    if (this.interruption.signal.aborted || !this.stopsInOrder) process.exit(130);
    this.interruption.abort(new SvcError('INTERRUPTED', 'stopped', { hint: this.interruptHint }));
  }

  /** Work that waits for a server can take as long as the server may. */
  private noteStopping(): void {
    if (!terminalStreams.stderr.isTTY || this.shared.quiet) return;
    this.showStopping('stopping after the current step; press Ctrl-C again to stop at once');
  }

  /**
   * Whether Ctrl-C lets the work finish in order; otherwise it ends the process, as SIGTERM does. No handler runs
   * during an SQLite statement, so work that only reads is better off without one.
   */
  protected setGracefulInterrupt(graceful: boolean): void {
    // A handler that is removed and added again would miss a pending signal.
    if (graceful === process.listeners('SIGINT').includes(this.onInterrupt)) return;
    if (graceful) process.on('SIGINT', this.onInterrupt);
    else process.off('SIGINT', this.onInterrupt);
  }

  /** The engine's view of this process: one, because it has the connections to a shared server. */
  protected context(): EngineContext {
    this.cachedContext ??= createContext(this.mask, (server, connect) =>
      this.showsWork ? connect() : this.whileWaiting(`connecting to ${server}`, connect),
    );
    return this.cachedContext;
  }

  /** Aborts on Ctrl-C; its reason is an INTERRUPTED error. */
  protected get signal(): AbortSignal {
    this.stopsInOrder = true;
    return this.interruption.signal;
  }

  /** The configuration; its warnings are reported. */
  protected async loadConfig(): Promise<LoadedConfig> {
    const loaded = await this.readConfig();
    this.addWarnings(loaded.warnings);
    return loaded;
  }

  /** The configuration, for a command whose answer does not depend on what its warnings are about. */
  protected readConfig(): Promise<LoadedConfig> {
    return loadConfig(this.context(), { configFile: this.shared.config });
  }

  /** What times in flags are relative to: dates without a zone are the user's, as in searches. */
  protected times(): TimeContext {
    return {
      nowMs: this.context().clock.now(),
      userTimeZone: async () => {
        const { resolved } = await this.readConfig();
        return resolved.agents.defaults.userTimezone;
      },
    };
  }

  /** What the terminal supports, given the flags. */
  protected terminal(): TerminalSupport {
    return terminalSupport(process.env, terminalStreams, this.outputFlags());
  }

  private outputFlags() {
    return { json: this.jsonEnabled(), plain: this.shared.plain };
  }

  /** How this command shows its work, given the flags. */
  protected async commandContext(): Promise<CommandContext> {
    const { config, quiet, verbose } = this.shared;
    this.showsWork = true;
    return {
      context: this.context(),
      configFile: config,
      terminal: await this.screenTerminal(),
      view: this.view(),
      mask: this.mask,
      signal: this.signal,
      onInterrupt: () => this.interrupt(),
      write: (text) => this.write(text),
      showLocation: (location) => print(`${location}\n`),
      json: this.jsonEnabled(),
      quiet,
      verbose,
    };
  }

  /** Like `terminal`, with the configured look of screens. Reads the configuration only where screens may be shown. */
  private async screenTerminal(): Promise<TerminalSupport> {
    const terminal = this.terminal();
    if (!terminal.screen) return terminal;
    // The command itself reports a configuration that cannot be used.
    const loaded = await this.readConfig().catch(() => undefined);
    return terminalSupport(process.env, process, this.outputFlags(), loaded?.resolved.ui);
  }

  /** How stdout is drawn, given the flags. */
  protected view(): View {
    const { color, columns } = this.terminal();
    const { clock, homeDir } = this.context();
    return {
      style: createStyle(color),
      columns: terminalStreams.stdout.isTTY ? columns : undefined,
      nowMs: clock.now(),
      homeDir,
      hintFor: (hint) => this.hintFor(hint),
    };
  }

  /** Writes output to stdout; nothing in JSON mode. */
  protected write(text: string): void {
    if (this.jsonEnabled()) return;
    const output = this.answersVerbatim ? text : this.mask.text(text);
    print(withLineEnd(output));
  }

  /** Writes progress or an aside to stderr; nothing where the JSON document has it. */
  protected note(text: string): void {
    if (!this.jsonEnabled() || this.shapesOutput) this.say(text);
  }

  private say(text: string): void {
    // The waiting line is erased, and shown again after a while.
    this.waiting?.start();
    const masked = this.mask.text(text);
    writeStderr(masked.endsWith('\n') ? masked : `${masked}\n`);
  }

  /** What a person at a terminal sees of work that is silent until its end. */
  protected waitingLine(text: string): WaitingLine {
    this.showsWork = true;
    const isShown = this.terminal().progress && !this.shared.quiet;
    return createWaitingLine((chunk) => isShown && writeStderr(chunk), text);
  }

  protected async whileWaiting<T>(text: string, run: () => Promise<T>): Promise<T> {
    const line = this.waitingLine(text);
    this.waiting = line;
    line.start();
    return run().finally(() => {
      line.stop();
      this.waiting = undefined;
      this.showsWork = false;
    });
  }

  /** Options for changing notes; a change waits until a running sweep ends. */
  protected noteOptions(): NoteOptions & { readonly signal: AbortSignal } {
    return {
      context: this.context(),
      signal: this.signal,
      onWait: () => this.note('waiting for another process that writes notes'),
    };
  }

  /** How steps of long work are shown, given the flags. */
  protected stepsOptions(): StepsOptions {
    const { screen, progress } = this.terminal();
    this.showsWork = true;
    return {
      // Without a size, every character of a list would get a line.
      live: screen && progress && terminalStreams.stdout.columns !== 0,
      quiet: this.shared.quiet || this.jsonEnabled(),
      mask: this.mask,
      note: (line) => this.note(line),
      onLive: (showStopping) => {
        this.showStopping = showStopping;
      },
    };
  }

  /** Reports on stderr what failed while the other parts of the work go on. */
  protected noteFailure(
    about: string,
    error: unknown,
  ): Pick<ErrorReport, 'code' | 'hint' | 'message'> {
    const { code, message, hint } = this.reportOf(error);
    const more = hint === undefined ? {} : { hint };
    this.note(formatErrorText({ code, message: `${about}: ${message}`, ...more }));
    return { code, message, ...more };
  }

  /**
   * Reports a warning on stderr, or in `warnings` of the JSON document.
   *
   * @param isUrgent on stderr also with `--json`: the document may not come for hours
   */
  protected addWarning(added: Warning, isUrgent = false): void {
    const hinted = added.hint === undefined ? added : { ...added, hint: this.hintFor(added.hint) };
    const warning = this.mask.data(hinted);
    // Several agents share one configuration, so its problems are reported once.
    if (this.warnings.some(({ message }) => message === warning.message)) return;
    this.warnings.push(warning);
    const write = (text: string): void => (isUrgent ? this.say(text) : this.note(text));
    write(safeLines(`warning: ${warning.message}`));
    if (warning.hint !== undefined) write(safeLines(`   hint: ${warning.hint}`));
  }

  /** Reports warnings, see {@link addWarning}. */
  protected addWarnings(warnings: readonly Warning[]): void {
    for (const warning of warnings) this.addWarning(warning);
  }

  /**
   * Whether the user confirms a question, or passed `--yes`.
   *
   * @throws SvcError CONFIRMATION_NEEDED without a terminal; INTERRUPTED on Ctrl-C and Ctrl-D
   */
  protected async agrees(question: string, flags: { readonly yes: boolean }): Promise<boolean> {
    if (flags.yes) return true;
    const { confirm } = await import('./prompts.js');
    return confirm(question, this.terminal().confirmations, this.signal);
  }

  /** Sets the exit code, also without an error; after Ctrl-C, what then fails does not change it. */
  protected setExitCode(code: number): void {
    process.exitCode = this.interruption.signal.aborted ? 130 : code;
  }
}

/** Ends a text with a line break; empty text stays empty. */
function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** Examples of a command, each without its name: `''` is the command alone. */
export function examples(...lines: readonly string[]): string[] {
  return lines.map((line) => `<%= config.bin %> <%= command.id %> ${line}`.trimEnd());
}
