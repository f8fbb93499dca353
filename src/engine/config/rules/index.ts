import type { ConfigInput } from '../schema/index.js';
import * as features from './features.js';
import * as notify from './notify.js';
import * as providers from './providers.js';
import * as rerank from './rerank.js';
import { type Rule, type RuleFinding, searchScopes } from './rule.js';
import * as schedules from './schedules.js';
import * as search from './search.js';
import * as secrets from './secrets.js';
import * as webhooks from './webhooks.js';

const { followProvider: _, ...providerRules } = providers;

const RULES: readonly Rule[] = [
  features,
  notify,
  providerRules,
  rerank,
  schedules,
  search,
  secrets,
  webhooks,
].flatMap((rules) => Object.values(rules));

/** Applies all rules across keys to a configuration that the schema accepts. */
export function applyRules(input: ConfigInput): readonly RuleFinding[] {
  const scopes = [...searchScopes(input)];
  return RULES.flatMap((rule) => [...rule(input, scopes)]);
}
