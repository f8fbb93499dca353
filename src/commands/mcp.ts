import { examples } from '../cli/base-command.js';
import {
  listenFlags,
  sessionFacts,
  sessionFlags,
  switchFlag,
  type TargetFlags,
  targetFlags,
} from '../cli/flags.js';
import { MemoryCommand } from '../cli/memory-command.js';
import { type McpEnd, runMcp } from '../cli/run-mcp.js';
import { resolveAgent } from '../engine/config/index.js';
import { SvcError, skipSvcError, unlessSvcError } from '../engine/errors/index.js';
import { programVersion } from '../engine/overview/about.js';

export default class Mcp extends MemoryCommand {
  static override summary = 'Serve memory to agents over the Model Context Protocol (MCP).';
  static override description =
    `Gives an agent the tools memory_search, memory_get, memory_recent and memory_links, and the memory files as resources; with mcp.write in the configuration also memory_add. Agents start it themselves; "svc integrate" adds it to their configuration.

Uses stdin and stdout until stdin ends. With --http it listens on mcp.http.host (127.0.0.1) instead, for agents that share one server. They need the bearer token, which is created on first start and stored in a file; its path is printed.

Other machines can connect only if the traffic is encrypted (mcp.http.tls, or a proxy) and with a token of "svc mcp token create".

Without --session-key and --chat-type, the conversation counts as a direct one. memory.ext.scope decides which conversations can search.`;
  static override examples = examples(
    '',
    '--agent main',
    '--workspace ./notes',
    '--http --port 8788',
  );
  static override flags = {
    ...targetFlags,
    ...sessionFlags,
    http: switchFlag('Listen on an address instead of using stdin and stdout.'),
    ...listenFlags('mcp.http'),
  };

  /** Without it, stdout belongs to the protocol. */
  private isHttp = false;

  override jsonEnabled(): boolean {
    return (this.isHttp || this.isTyped('http')) && super.jsonEnabled();
  }

  async run(): Promise<McpEnd> {
    const { flags } = await this.parse(Mcp);
    this.isHttp = flags.http;
    // A variable may be meant for other commands, so only typed flags are refused.
    if (!flags.http && this.isTyped('json')) {
      const message = '--json cannot be used without --http: stdout carries the protocol';
      throw new SvcError('USAGE', message, { hint: 'omit --json, or add --http' });
    }
    for (const name of ['host', 'port']) {
      if (flags.http || !this.isTyped(name)) continue;
      throw new SvcError('USAGE', `--${name} requires --http`, { hint: 'add --http' });
    }
    // It handles signals itself.
    this.setGracefulInterrupt(false);
    const end = await runMcp({
      context: this.context(),
      mask: this.mask,
      version: programVersion(this.config.root),
      session: sessionFacts(flags),
      http: flags.http ? { host: flags.host, port: flags.port } : undefined,
      configFile: flags.config,
      open: (agent) =>
        this.openMemory(agent === null ? flags : { config: flags.config, agent }, {
          longLived: true,
        }),
      mayWrite: await this.writableMemories(flags),
      verbose: flags.verbose,
      quiet: flags.quiet,
      hintFor: (hint) => this.hintFor(hint),
    });
    if (end.reason === 'SIGINT') this.setExitCode(130);
    return end;
  }

  /** Which memories agents can add to. A faulty configuration is reported when a memory is opened. */
  private async writableMemories(flags: TargetFlags): Promise<(agent: string | null) => boolean> {
    const context = this.context();
    const selected = this.selection(flags);
    const loaded = await this.readConfig().catch(skipSvcError);
    return (agent) => {
      if (loaded === undefined || (agent === null && selected?.kind === 'workspace')) return false;
      const id = agent ?? flags.agent;
      return unlessSvcError(() => resolveAgent(loaded, id, context).mcpWrite) ?? false;
    };
  }
}
