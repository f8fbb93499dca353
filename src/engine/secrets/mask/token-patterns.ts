/** What stands for a secret wherever text is printed. */
export const MASK = '********';

/** A form that secrets have, and what is left of a text that holds one. */
export interface TokenPattern {
  /** Global. */
  readonly form: RegExp;
  /** As `String.replace` takes it; `$1` is what stands before the secret. */
  readonly left: string;
}

/** After the name of a key; a word of prose has neither this length nor a digit in it. */
const VALUE = String.raw`(?=[\w.~+/=-]{0,255}?\d)(?![/~.])[\w.~+/=-]{16,}`;

/** Names that a secret stands behind, as people, headers and JSON write them. */
const NAME =
  '(?:(?:api|access|private|secret|signing|auth)[ _-]?key|token|secret|password|passwd|authorization|credential)';

/**
 * Secrets that are known by their looks, for those that svc never read itself: in logs, in the words
 * of vendors, in addresses. Prefixes are those that the vendors document for their keys.
 *
 * All that is printed goes through them, an answer of a hundred pages too: each begins only near the
 * beginning of its own run of characters, or looks ahead for a bounded length, so that no text makes
 * them go over the same stretch again and again.
 */
export const TOKEN_PATTERNS: readonly TokenPattern[] = [
  {
    form: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/gu,
    left: MASK,
  },
  // Whoever puts a token there leaves out the name or the password; both are masked.
  { form: /(:\/\/)[^\s/?#"'<>]+@/gu, left: `$1${MASK}@` },
  {
    form: /([?&](?:[a-z_-]*key|[a-z_]*token|sig|signature|secret|password)=)[^&\s"'#]+/giu,
    left: `$1${MASK}`,
  },
  { form: /\b((?:Bearer|Basic)\s+)(?=\S*\d|\S{20})[\w.~+/=-]{8,}/giu, left: `$1${MASK}` },
  {
    form: /\beyJ(?<=(?<![\w-])[\w-]{0,64}eyJ)[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/gu,
    left: MASK,
  },
  { form: /\b(?:sk|rk)[-_](?=[\w-]{0,255}?\d)[\w-]{16,}/gu, left: MASK },
  { form: /\b(?:pa-|gsk_|r8_)[\w-]{24,}/gu, left: MASK },
  { form: /\b(?:gh[oprsu]_|hf_|npm_)[A-Za-z0-9]{16,}/gu, left: MASK },
  { form: /\b(?:github_pat_|glpat-|xox[abeoprs]-)[\w-]{16,}/gu, left: MASK },
  { form: /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/gu, left: MASK },
  { form: /\bAIza[\w-]{20,}/gu, left: MASK },
  {
    form: new RegExp(
      String.raw`(${NAME}["']?(?: (?:provided|given|was|is))?["']?\s*[:=]\s*["']?)${VALUE}`,
      'giu',
    ),
    left: `$1${MASK}`,
  },
];

/** A field of JSON whose value is a secret when it looks like one. */
export const SECRET_FIELD = new RegExp(`${NAME}$`, 'iu');

/** The whole of such a value. */
export const SECRET_VALUE = new RegExp(`^${VALUE}$`, 'u');
