import { firstChars } from '../support/text.js';

/** Replaces a secret in output. */
export const MASK = '********';

interface TokenPattern {
  /** A quick test whether the form can occur in a text. */
  readonly needle: RegExp;
  /** Global, with two groups: the text before the secret, and the secret. */
  readonly form: RegExp;
  /** Whether a match is a secret; always when absent. */
  readonly isSecret?: (value: string) => boolean;
}

/** Prefixes that vendors document for their keys, each with the least that follows it. */
const PREFIXED = [
  String.raw`(?:sk|pk|rk)[-_][\w-]{16,}`,
  String.raw`(?:gh[oprsu]|npm|dop_v1|shp[ap]t|shpss|glsa|sbp|jina)_\w{16,}`,
  String.raw`(?:github_pat_|gsk_|r8_|lin_api_|figd_|rnd_|pat_|ntn_|secret_|tvly-|pplx-|xai-|nvapi-)[\w-]{16,}`,
  // Svix and its kin encode in Base64, whose signs a word does not have.
  String.raw`whsec_[\w+/-]{16,}=*`,
  String.raw`(?:glpat|gldt|glrt|xapp|xox[abeoprs]|pypi|pa|tskey|atlasv1|dapi)-[\w-]{16,}`,
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}',
  String.raw`AIza[\w-]{20,}`,
  String.raw`(?:ya29|hvs)\.[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  'EAA[A-Za-z0-9]{30,}',
  String.raw`eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`,
  String.raw`\d{8,10}:AA[\w-]{30,}`,
].join('|');

/** Names that a secret follows: `(DB_)PASSWORD`, `client-secret`, `"apiKey"`, `AccountKey`. */
const NAME =
  '(?:pass(?:word|wd|phrase)|pwd|secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:api|access|account|private|signing|auth|encryption|master|shared[ _-]?access)[ _-]?key|(?:access|auth|refresh|bearer|api|bot|id|session|csrf)?[ _-]?token|authorization|credentials?|connection[ _-]?string)';

/** What ties a value to its name in settings and in sentences. */
const TIE = String.raw`(?:(?:[ \t](?:provided|given))?[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}|[ \t](?:is|was|to)[ \t:]{1,3})`;

/**
 * What secrets look like that svc never read itself, in logs, errors, transcripts and notes.
 *
 * Takes linear time for every text: each form starts only where its own run of characters starts, or is
 * bounded.
 */
const TOKEN_PATTERNS: readonly TokenPattern[] = [
  {
    // A truncated key extends to the end of the text.
    needle: /PRIVATE KEY/u,
    form: /()(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$))/gu,
  },
  {
    // A token may be in the place of the user or the password; both are masked.
    needle: /:\/\//u,
    form: /(:\/\/)([^\s/?#"'<>`]+)(?=@)/gu,
  },
  {
    needle: /webhook|hooks\./iu,
    form: /(\b(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com)\/)([\w\-./@]{10,400})/giu,
  },
  {
    needle: /[?&][\w-]{0,40}(?:key|token|sig|secret|password|pwd|code)/iu,
    form: /([?&](?:[\w-]{0,40}(?:key|token|secret|password|pwd)|sig|signature|code)=)([^&\s"'#;<>`]+)/giu,
  },
  {
    needle: /bearer|basic|token/iu,
    form: /(?<![\w-])((?:Bearer|Basic|Token)\s{1,4})([\w.~+/=-]{8,})/giu,
    isSecret: (value) => (value.length >= 20 || /\d/u.test(value)) && !isReference(value),
  },
  {
    needle: /[\w-]{4}/u,
    form: new RegExp(String.raw`(?<![\w-])()(${PREFIXED})`, 'gu'),
    isSecret: (value) => /\d/u.test(value),
  },
  {
    // Tokens of Hugging Face, and svc's own: they may have no digit.
    needle: /hf_|svc_mcp_/u,
    form: /(?<![\w-])()(hf_[A-Za-z\d]{16,}|svc_mcp_[\w-]{16,})/gu,
  },
  {
    needle: new RegExp(NAME, 'iu'),
    form: new RegExp(
      String.raw`(${NAME}(?:[_-]?(?:id|value|prod|dev|test|live|\d{1,3}))?[\\"'\x60\]*]{0,4}${TIE}[\\"'\x60* ]{0,4})([^\s"'\x60,;<>]{4,})`,
      'giu',
    ),
    isSecret: isSecretValue,
  },
  {
    needle: /--?[\w-]{0,30}(?:password|passwd|token|secret|key)/iu,
    form: /((?<![\w-])--[\w-]{0,30}(?:password|passwd|token|secret|api-?key)(?:[ =]["']?|\\?["'],\s{0,80}\\?["']))((?:[^\s"'`\\]|\\(?!["'])){6,})/giu,
    isSecret: isSecretValue,
  },
  {
    needle: /pin/iu,
    form: /(\b(?:PIN[ \t]|PIN(?:[ -](?:code|number))?(?:[ \t](?:for|of)(?:[ \t][\w'’]{1,20}){1,4})?[ \t]{0,3}(?:[:=]|is|was)[ \t:]{0,3})["'`*]{0,2})(\d{4,12})(?!\w)/giu,
  },
];

/** Values after the name of a secret that are not one: a reference, a type, a path, a placeholder. */
const NO_SECRET =
  /^(?:[$<{[(%~./\\]|\*{3}|process\.|os\.|env[:.(]|import\b|https?:|file:|op:|vault:|string|number|boolean|null|undefined|true|false|none|required|optional)/iu;

/** The name of a variable, or the path of a setting. */
const IDENTIFIER = /^(?:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|[A-Za-z_$]+(?:\.[A-Za-z_$]+)+)[.,:;]?$/u;

function isReference(value: string): boolean {
  return NO_SECRET.test(value) || IDENTIFIER.test(value);
}

/** Whether a value after the name of a secret is one: a word of prose is not. */
export function isSecretValue(value: string): boolean {
  if (isReference(value)) return false;
  if (value.length >= 16) return true;
  if (/^[\d.]+$/u.test(value)) return false;
  const hasDigit = /\d/u.test(value);
  const kinds = [/[a-z]/u, /[A-Z]/u, /\d/u, /[^A-Za-z\d]/u].filter((kind) => kind.test(value));
  return value.length >= 6 ? hasDigit || kinds.length >= 3 : hasDigit && kinds.length >= 3;
}

/** A field of JSON whose value is a secret when it looks like one. */
export const SECRET_FIELD = new RegExp(`${NAME}$`, 'iu');

/**
 * Masks what looks like a secret: keys and tokens of vendors, private keys, passwords in URLs, connection
 * strings, settings and sentences. Secrets are masked completely.
 *
 * @param shown returns the replacement of a secret
 */
export function redactSecrets(
  text: string,
  shown: (secret: string) => string = () => MASK,
): string {
  let redacted = text;
  for (const { needle, form, isSecret } of TOKEN_PATTERNS) {
    if (!needle.test(redacted)) continue;
    redacted = redacted.replaceAll(form, (match: string, before: string, secret: string) =>
      isSecret === undefined || isSecret(secret) ? before + shown(secret) : match,
    );
  }
  return redacted;
}

/** More than the longest secret, such as a private key. */
const MARGIN = 20_000;

/** The beginning of a text, with masked secrets. It is masked before it is cut, because half a secret is not recognized. */
export function redactedStart(text: string, most: number): string {
  const redacted = redactSecrets(firstChars(text, most + MARGIN));
  // Masks are shorter than secrets: one that is cut at the end would otherwise move into what is kept.
  const whole = text.length <= most + MARGIN ? most : Math.max(0, redacted.length - MARGIN);
  return firstChars(redacted, Math.min(most, whole));
}

/** Whether a text contains an unmasked string that looks like a secret. */
export function hasSecret(text: string): boolean {
  return redactSecrets(text) !== text;
}

/** Names of variables with secret values: `OPENAI_API_KEY`, `AWS_BEARER_TOKEN_BEDROCK`. */
const SECRET_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)(?:_[A-Z0-9]+)?$/u;

/** Names of variables that say where a secret is stored. */
const PLACE_NAME = /_(?:DIR|FILE|NAME|PATH|SOCK|TYPE|UR[IL])$/u;

/** Secret values of the environment, which are masked although no setting names them. */
export function environmentSecrets(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) && !PLACE_NAME.test(name) ? [value] : [],
  );
}
