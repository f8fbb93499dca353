import { MASK } from './token-patterns.js';

/**
 * Masks what looks like a secret in a text that other people wrote and that is going to be kept:
 * keys and tokens of vendors, private keys, passwords in addresses, connection strings and settings.
 * Nothing of a secret stays, not even its ends.
 *
 * Takes time in proportion to the length, whatever the text is: each pattern begins only where its
 * own run of characters begins, or is bounded, so that no stretch is gone over again and again.
 */
export function redactSecrets(text: string): string {
  let redacted = withoutPrivateKeys(text);
  for (const { needle, form, replace } of SHAPES) {
    if (needle.test(redacted)) redacted = redacted.replaceAll(form, replace);
  }
  return redacted;
}

interface Shape {
  /** What a text must hold for the form to be worth looking for. */
  readonly needle: RegExp;
  /** Global. */
  readonly form: RegExp;
  /** Given the match and its groups as String.replace gives them. */
  readonly replace: (match: string, ...groups: string[]) => string;
}

/** Prefixes that vendors give their keys, each with what follows it at least. */
const PREFIXED = [
  String.raw`(?:sk|pk|rk)[-_][\w-]{16,}`,
  String.raw`(?:gh[oprsu]|hf|npm|dop_v1|shp[ap]t|shpss|glsa|sbp)_\w{16,}`,
  String.raw`(?:github_pat_|gsk_|r8_|lin_api_|figd_|rnd_|whsec_|pat_|ntn_|secret_|tvly-|pplx-|xai-)[\w-]{16,}`,
  String.raw`(?:glpat|gldt|glrt|xapp|xox[abeoprs]|pypi|pa|tskey|atlasv1|dapi)-[\w-]{16,}`,
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}',
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  'EAA[A-Za-z0-9]{30,}',
  String.raw`eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`,
  String.raw`\d{8,10}:AA[\w-]{30,}`,
].join('|');

/** Names that a secret stands behind; `(DB_)PASSWORD`, `client-secret`, `"apiKey"`, `AccountKey`. */
const NAME =
  '(?:pass(?:word|wd|phrase)|pwd|secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:api|access|account|private|signing|auth|encryption|master|shared[ _-]?access)[ _-]?key|(?:access|auth|refresh|bearer|api|bot|id|session|csrf)?[ _-]?token|authorization|credentials?|connection[ _-]?string)';

const SHAPES: readonly Shape[] = [
  // Whoever puts a token there leaves out the name or the password; both go.
  {
    needle: /:\/\//u,
    form: /:\/\/[^\s/?#"'<>`]{1,512}@/gu,
    replace: () => `://${MASK}@`,
  },
  {
    needle: /webhook|hooks\./iu,
    form: /(\b(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com)\/)[\w\-./@]{10,400}/giu,
    replace: (_, place) => `${place}${MASK}`,
  },
  {
    needle: /[?&;][\w-]{0,40}(?:key|token|sig|secret|password|pwd|code)/iu,
    form: /([?&;](?:[\w-]{0,40}(?:key|token|secret|password|pwd)|sig|signature|code)=)[^&\s"'#;<>`]{6,}/giu,
    replace: (_, name) => `${name}${MASK}`,
  },
  {
    needle: /bearer|basic|token/iu,
    form: /(?<![\w-])((?:Bearer|Basic|Token)\s{1,4})([\w.~+/=-]{8,})/giu,
    replace: (match, word, value) => (isUnguessable(value) ? `${word}${MASK}` : match),
  },
  {
    needle: /[\w-]{4}/u,
    form: new RegExp(String.raw`(?<![\w-])(?:${PREFIXED})`, 'gu'),
    replace: (match) => (/\d/u.test(match) ? MASK : match),
  },
  {
    needle: new RegExp(NAME, 'iu'),
    form: new RegExp(
      String.raw`(${NAME}(?:[_-]?(?:id|value|prod|dev|test|live|\d{1,3}))?["'\x60\]]{0,2}(?:[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}|[ \t](?:is|was|to)[ \t:]{1,3}))(["'\x60]?)([^\s"'\x60,;<>]{4,})`,
      'giu',
    ),
    replace: (match, before, quote, value) =>
      isSettingSecret(value) ? `${before}${quote}${MASK}` : match,
  },
  {
    needle: /--?[\w-]{0,30}(?:password|passwd|token|secret|key)/iu,
    form: /((?<![\w-])--[\w-]{0,30}(?:password|passwd|token|secret|api-?key)[ =]["']?)([^\s"'`]{6,})/giu,
    replace: (match, flag, value) => (isSettingSecret(value) ? `${flag}${MASK}` : match),
  },
];

/** What stands where a secret would, and is none: a reference, a type, a path, a placeholder. */
const NO_SECRET =
  /^(?:[$<{[(%~./\\]|\*{3}|process\.|os\.|env[:.(]|import\b|https?:|file:|op:|vault:|string|number|boolean|null|undefined|true|false|none|required|optional)/iu;

/** Whether a value behind the name of a secret is one: a word of prose is not. */
function isSettingSecret(value: string): boolean {
  if (NO_SECRET.test(value)) return false;
  const kinds = [/[a-z]/u, /[A-Z]/u, /\d/u, /[^A-Za-z\d]/u].filter((kind) =>
    kind.test(value),
  ).length;
  if (value.length >= 16) return true;
  if (/^[\d.]+$/u.test(value)) return false;
  const hasDigit = /\d/u.test(value);
  return value.length >= 6 ? hasDigit || kinds >= 3 : hasDigit && kinds >= 3;
}

/** Whether a value has a digit, or is longer than words are. */
function isUnguessable(value: string): boolean {
  return value.length >= 20 || /\d/u.test(value);
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u;

/** A key without an end goes to the end of the text: what is cut off is a secret no less. */
function withoutPrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const kept: string[] = [];
  let rest = text;
  for (let begin = KEY_BEGIN.exec(rest); begin !== null; begin = KEY_BEGIN.exec(rest)) {
    kept.push(rest.slice(0, begin.index), MASK);
    const body = rest.slice(begin.index + begin[0].length);
    const end = KEY_END.exec(body);
    rest = end === null ? '' : body.slice(end.index + end[0].length);
  }
  kept.push(rest);
  return kept.join('');
}
