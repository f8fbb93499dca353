/** Where Ollama listens when nothing says otherwise. */
export const OLLAMA_ENDPOINT = 'http://127.0.0.1:11434';

/** By scheme; without one, Ollama's own. */
const PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
const OWN_PORT = '11434';

/**
 * The base URL that `OLLAMA_HOST` stands for, read as Ollama's own client reads it
 * (github.com/ollama/ollama, `envconfig.Host`): scheme and port may be left out, and a server that
 * listens everywhere is reached at the loopback.
 *
 * @returns undefined when the variable is unset, blank or no address
 */
export function ollamaBaseUrl(host: string | undefined): string | undefined {
  const text = (host ?? '').trim().replaceAll(/^["']|["']$/gu, '');
  if (text === '') return undefined;
  if (text === 'ollama.com') return 'https://ollama.com';
  const [, scheme, place = '', path = ''] = /^(?:([a-z]+):\/\/)?([^/]*)(.*)$/iu.exec(text) ?? [];
  const kind = scheme?.toLowerCase() ?? 'http';
  const port = scheme === undefined ? OWN_PORT : PORTS[kind];
  if (port === undefined) return undefined;
  const { name, given } = hostAndPort(place);
  const url = `${kind}://${reachable(name)}:${given ?? port}${path}`;
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/u, '') : undefined;
}

function hostAndPort(place: string): { readonly name: string; readonly given: string | undefined } {
  const [, bracketed, plain, given] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/u.exec(place) ?? [];
  const name = bracketed ?? plain;
  // More colons than one, without brackets: an IPv6 address that has no port.
  return name === undefined ? { name: place, given: undefined } : { name, given };
}

/** What a client connects to where the server is told to listen on all addresses. */
function reachable(name: string): string {
  if (name === '' || name === '0.0.0.0') return '127.0.0.1';
  if (name === '::') return '[::1]';
  return name.includes(':') ? `[${name}]` : name;
}
