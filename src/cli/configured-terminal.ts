import { loadConfig } from '../engine/config/index.js';
import type { EngineContext } from '../engine/support/context.js';
import { type TerminalSupport, terminalSupport } from './terminal.js';

/** The terminal with the configured look of screens. */
export async function configuredTerminal(
  context: EngineContext,
  configFile: string | undefined,
  wanted: Parameters<typeof terminalSupport>[2],
): Promise<TerminalSupport> {
  // The command itself reports a configuration that cannot be used.
  const loaded = await loadConfig(context, { configFile }).catch(() => undefined);
  return terminalSupport(process.env, process, wanted, loaded?.resolved.ui);
}
