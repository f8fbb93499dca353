import type { Tool } from './open-tool.js';
import { runTool } from './run-tool.js';
import { ToolFailure } from './tool-failure.js';

/** How one installed release wants to be spoken to. */
export interface ToolFeatures {
  /** `2.8.3`; null for one that does not say. */
  readonly release: string | null;
  /** What a collection's pattern is given with. */
  readonly patternFlag: '--glob' | '--mask';
  /** Whether one search may name several collections. */
  readonly manyCollections: boolean;
  /** How answers are asked for as JSON. */
  readonly json: readonly string[];
  /** Whether it searches by vectors alone; its `query` does for those that cannot. */
  readonly vectorSearch: boolean;
}

/**
 * Asks a release what it can, once for each program that is installed; see ext-state.ts.
 *
 * @throws ToolFailure; BACKEND_UNAVAILABLE for a release that knows no collections
 */
export async function detectFeatures(
  tool: Tool,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<ToolFeatures> {
  const [version, help] = await Promise.all([
    // The oldest ones know no --version; their help says enough.
    runTool(tool, ['--version'], options).catch((error: unknown) => {
      if (error instanceof ToolFailure && error.code === 'BACKEND_FAILED') return undefined;
      throw error;
    }),
    runTool(tool, ['--help'], options),
  ]);
  const text = `${help.stdout}\n${help.stderr}`;
  if (!/\bcollection\b/u.test(text) || !/\bsearch\b/u.test(text)) throw tooOld(tool);
  return { release: releaseIn(version?.stdout ?? ''), ...featuresIn(text) };
}

/** What a help text tells; its words differ from release to release. */
export function featuresIn(help: string): Omit<ToolFeatures, 'release'> {
  const filter = /--collection\b.*/u.exec(help)?.[0] ?? '';
  const onlyFormat = /--format\b/u.test(help) && !/--json\b/u.test(help);
  return {
    patternFlag: /--glob\b/u.test(help) && !/--mask\b/u.test(help) ? '--glob' : '--mask',
    manyCollections: /one or more|multiple|repeat/iu.test(filter),
    json: onlyFormat ? ['--format', 'json'] : ['--json'],
    vectorSearch: /\bvsearch\b/u.test(help),
  };
}

function releaseIn(text: string): string | null {
  return /\d+\.\d+\.\d+(?:-[\w.]+)?/u.exec(text)?.[0] ?? null;
}

function tooOld({ program }: Tool): ToolFailure {
  return new ToolFailure(
    'BACKEND_UNAVAILABLE',
    `${program} is no release of the external search program that svc knows: its help names no collections`,
    'install a current one: npm install -g @tobilu/qmd',
  );
}
