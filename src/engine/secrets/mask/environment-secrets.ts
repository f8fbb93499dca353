/** Variables whose value is a secret by their name: `OPENAI_API_KEY`, `AWS_BEARER_TOKEN_BEDROCK`. */
const SECRET_NAME = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)(?:_[A-Z0-9]+)?$/u;

/** Where a secret is kept, and not what it is. */
const PLACE_NAME = /_(?:DIR|FILE|NAME|PATH|SOCK|TYPE|UR[IL])$/u;

/** The values that are to be masked although nobody asked for them as secrets. */
export function environmentSecrets(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) && !PLACE_NAME.test(name) ? [value] : [],
  );
}
