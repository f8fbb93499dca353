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
  String.raw`(?:gh[oprsu]|npm|do[opr]_v1|shp(?:at|ca|pa|ss)|glsa|sbp|jina|nfp|sntry[su]|dckr_pat|CCIPAT)_\w{16,}`,
  String.raw`(?:github_pat_|gsk_|r8_|lin_api_|figd_|rnd_|pat_|ntn_|secret_|sb_secret_|pscale_(?:tkn|pw|oauth)_|ops_eyJ|glc_eyJ|tvly-|pplx-|xai-|nvapi-)[\w-]{16,}`,
  // Svix and Fly encode in Base64, whose signs a word does not have.
  String.raw`(?:whsec|fo1|fm[12]r?|fm1a)_[\w+/-]{16,}=*`,
  String.raw`(?:gl(?:pat|agent|cbt|dt|ft|imt|oas|ptt|rt|soat)|xapp|xox[abeoprs]|xkeysib|pypi|pa|tskey|sq0[a-z]{3}|HRKU|NRAK|PMAK)-[\w-]{16,}`,
  'xoxe\\.xox[bp]-[\\w-]{16,}',
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}',
  String.raw`AIza[\w-]{20,}`,
  String.raw`(?:ya29|hv[brs]|dp\.(?:audit|ct|pt|sa|scim|st))\.[\w-]{20,}`,
  String.raw`sl\.(?:u\.)?[\w-]{60,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  String.raw`1//0[\w-]{30,}`,
  String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  'EAA[A-Za-z0-9]{30,}',
  String.raw`AT(?:ATT|CTT)3x[\w=-]{30,}`,
  String.raw`eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`,
  String.raw`\d{8,10}:AA[\w-]{30,}`,
  String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}`,
  String.raw`pat[A-Za-z\d]{14}\.[a-f\d]{64}`,
  '(?:dapi|SK|key-|pul-|rubygems_)[a-f\\d]{32,48}(?![a-f\\d])',
].join('|');

/** Names that a secret follows: `(DB_)PASSWORD`, `client-secret`, `"apiKey"`, `AccountKey`. */
const NAME =
  '(?:pass(?:word|wd|phrase|code)|(?<=(?:admin|db|ftp|mail|mysql|postgres|redis|root|smtp|user)_)pass|pwd|psk|(?:pass|kenn)wort|mot de passe|contraseña|senha|wachtwoord|пароль|パスワード|密码|(?:recovery|backup)[ _-]?codes?|secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:api|app|access|account|private|signing|auth|encryption|master|shared[ _-]?access)[ _-]?key|(?:access|auth|refresh|bearer|api|bot|id|session|csrf)?[ _-]?token|authorization|credentials?|connection[ _-]?string)';

/** What is between a name and its value in settings and in sentences. */
const SEPARATOR = String.raw`(?:(?:[ \t](?:provided|given))?[ \t\xa0]{0,3}(?:=>|:=|[:=：])[ \t\xa0]{0,3}|(?:[ \t](?:for|of)(?:[ \t][\w'’]{1,20}){1,3})?[ \t](?:is|ist|est|es|was|to)[ \t:]{1,3})`;

/**
 * What secrets look like that svc never read itself, in logs, errors, transcripts and notes.
 *
 * Takes linear time for every text: each form starts only where its own run of characters starts, or is
 * bounded.
 */
function tokenPatterns(): readonly TokenPattern[] {
  return [
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
      // Tokens of Terraform, Azure and Mailchimp, which are known by what is inside.
      needle: /\.atlasv1\.|\dQ~|[a-f\d]-us\d/u,
      form: /(?<![\w~.-])()([A-Za-z\d]{14}\.atlasv1\.[\w-]{40,}|[\w~.]{3}\dQ~[\w~.-]{31,}|[a-f\d]{32}-us\d{1,2})/gu,
    },
    {
      // Tokens of Hugging Face, and svc's own: they may have no digit.
      needle: /hf_|svc_mcp_/u,
      form: /(?<![\w-])()(hf_[A-Za-z\d]{16,}|svc_mcp_[\w-]{16,})/gu,
    },
    {
      needle: new RegExp(NAME, 'iu'),
      form: new RegExp(
        String.raw`(${NAME}(?:[_-]?(?:id|base|value|prod|dev|test|live|\d{1,3}))?[\\"'\x60\]*]{0,4}${SEPARATOR}[\\"'\x60* ]{0,4})([^\s"'\x60,;<>]{4,})`,
        'giu',
      ),
      isSecret: isSecretValue,
    },
    {
      // In the second cell of a table, or alone on the next line.
      needle: /\||:[ \t]{0,8}\r?\n/u,
      form: new RegExp(
        String.raw`((?:^[ \t]{0,8}\|[^|\r\n]{0,60}?${NAME}["'\x60* ]{0,4}\|[ \t]{0,80}|${NAME}["'\x60* ]{0,4}:[ \t]{0,8}\r?\n[ \t]{0,8}(?:[-*][ \t]{1,3})?)["'\x60*]{0,4})([^\s"'\x60,;<>|]{6,400})(?=["'\x60*]{0,4}[ \t]{0,80}(?:\||$))`,
        'gimu',
      ),
      // Not a date, an address, or the next key.
      isSecret: (value) =>
        isSecretValue(value) && /\d/u.test(value) && /[a-z]/iu.test(value) && !value.endsWith(':'),
    },
    {
      // Without a space, and only in programs of MySQL and MariaDB.
      needle: /mysql|mariadb/u,
      form: /(\b(?:mysql|mariadb)[\w-]{0,20}\b[^\n]{0,200}?[ \t]-p["']?)([^\s"'`]{4,})/gu,
      isSecret: isSecretValue,
    },
    {
      needle: /--?[\w-]{0,30}(?:password|passwd|token|secret|key)/iu,
      form: /((?<![\w-])--[\w-]{0,30}(?:password|passwd|token|secret|api-?key)(?:[ =]["']?|\\?["'],\s{0,80}\\?["']))((?:[^\s"'`\\]|\\(?!["'])){6,})/giu,
      isSecret: isSecretValue,
    },
    {
      // Browsers copy requests with their cookies.
      needle: /cookie/iu,
      form: /(\b(?:set-)?cookie:[ \t]{0,3})([\w.%$-]{1,80}=[^\r\n"'`\\]{8,})/giu,
    },
    {
      needle: /-u|--\w{0,10}user/u,
      form: /(\bcurl\b[^\n]{0,200}?[ \t](?:-u|--(?:proxy-)?user)[ =]?["']?[^\s:"']{1,80}:)([^\s"'`]{4,})/gu,
      isSecret: isSecretValue,
    },
    {
      // What Docker and npm store, and what a .netrc has.
      needle: /auth"|_auth|password/u,
      form: /((?:"auth"[ \t]{0,3}:[ \t]{0,3}"|(?<!\w)_auth[ \t]{0,3}=[ \t]{0,3}"?)(?=[\w+/]{8,}=*(?:["\s]|$))|\blogin[ \t]{1,4}\S{1,100}\s{1,4}password[ \t]{1,4})([^\s"]{3,})/gu,
    },
    {
      needle: /pin/iu,
      form: /(\b(?:PIN[ \t]|PIN(?:[ -](?:code|number))?(?:[ \t](?:for|of)(?:[ \t][\w'’]{1,20}){1,4})?[ \t]{0,3}(?:[:=]|is|was)[ \t:]{0,3})["'`*]{0,2})(\d{4,12})(?!\w)/giu,
    },
  ];
}

// Made for the first text, because every start would wait for them.
let patterns: readonly TokenPattern[] | undefined;

/** Values after the name of a secret that are not one: a reference, a type, a path, a placeholder. */
const NOT_A_SECRET =
  /^(?:[$<{[(%~./\\]|\*{3}|process\.|os\.|env[:.(]|import\b|https?:|file:|op:|vault:|string|number|boolean|null|undefined|true|false|none|required|optional)/iu;

/** The name of a variable, or the path of a setting. */
const IDENTIFIER = /^(?:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|[A-Za-z_$]+(?:\.[A-Za-z_$]+)+)[.,:;]?$/u;

function isReference(value: string): boolean {
  return NOT_A_SECRET.test(value) || IDENTIFIER.test(value);
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
 * @param replacementOf returns the replacement of a secret
 */
export function redactSecrets(
  text: string,
  replacementOf: (secret: string) => string = () => MASK,
): string {
  let redacted = text;
  patterns ??= tokenPatterns();
  for (const { needle, form, isSecret } of patterns) {
    if (!needle.test(redacted)) continue;
    redacted = redacted.replaceAll(form, (match: string, before: string, secret: string) =>
      isSecret === undefined || isSecret(secret) ? before + replacementOf(secret) : match,
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
