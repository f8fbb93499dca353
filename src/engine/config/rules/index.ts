import type { ConfigInput } from '../input.js';
import { dimensionsFitModel } from './dimensions.js';
import { agentIdsAreUnique, defaultAgentIsUnique, routePathsAreUnique } from './duplicates.js';
import type { Rule, RuleFinding } from './finding.js';
import { notifyIsOneAndSafe } from './notify.js';
import { overlapIsSmaller, weightsCount } from './numbers.js';
import { pathsStayInFolder } from './paths.js';
import { fallbackDiffers, mediaCanBeEmbedded, providersAreKnown } from './providers.js';
import { scheduleFires } from './schedule.js';
import { searchScopes } from './search-scope.js';
import { secretsAreLong } from './secrets.js';
import { sessionReadersAreKnown, sessionsAreSwitchedOn } from './session-readers.js';

const RULES: readonly Rule[] = [
  agentIdsAreUnique,
  defaultAgentIsUnique,
  providersAreKnown,
  fallbackDiffers,
  weightsCount,
  overlapIsSmaller,
  mediaCanBeEmbedded,
  dimensionsFitModel,
  routePathsAreUnique,
  scheduleFires,
  sessionReadersAreKnown,
  sessionsAreSwitchedOn,
  secretsAreLong,
  pathsStayInFolder,
  notifyIsOneAndSafe,
];

/** Applies every rule across keys to a configuration that the schema accepts. */
export function applyRules(input: ConfigInput): readonly RuleFinding[] {
  const scopes = [...searchScopes(input)];
  return RULES.flatMap((rule) => [...rule(input, scopes)]);
}
