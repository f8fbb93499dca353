import { type EngineContext, resolveStatePaths } from '../../src/engine/support/context.js';

/** The engine's view of a state folder, on the machine's clock unless another is given. */
export function contextOf(
  home: string,
  { env: variables, clock = { now: Date.now } }: Partial<Pick<EngineContext, 'clock' | 'env'>> = {},
): EngineContext {
  const env = { SVC_HOME: home, ...variables };
  return { env, cwd: home, homeDir: home, state: resolveStatePaths(env, home), clock };
}
