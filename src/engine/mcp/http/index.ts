// Apart from ../index.js, because a server on stdin and stdout needs no listener.
export { type HttpFlags, httpSettings } from './http-settings.js';
export { listenHttp } from './listen-http.js';
export { loadToken, localHolder } from './token.js';
