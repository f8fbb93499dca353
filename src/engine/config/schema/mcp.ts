import * as z from 'zod/mini';
import { host, integer, key, network, pattern, port, section, tls, waitingTime } from './keys.js';

const limits = () => ({
  ratePerWindow: key(integer(1), 'Maximum number of requests per token and client in a window'),
  windowSeconds: key(waitingTime('seconds', 1), 'Length of the window, in seconds'),
  trackedClients: key(
    integer(1),
    'Number of clients that are counted individually; all others share one count',
  ),
});

const http = () => ({
  host: key(
    host(),
    'Address to listen on; one that other machines can reach requires a token, and TLS or a proxy',
  ),
  port: key(port(), 'Port to listen on; 0 selects a free port'),
  tls: tls(),
  trustedProxies: key(
    z.array(network()),
    'Addresses or networks of the proxy that serves HTTPS; without `tls`, other machines are refused',
  ),
  publicUrl: key(
    pattern(
      /^https:\/\/[^\s/?#@]+\/?$/u,
      'a URL like "https://memory.example.com", without a path',
    ),
    'Address that clients use; required behind a proxy and if `host` is `0.0.0.0` or `::`',
  ),
  allowedOrigins: key(
    z.array(
      pattern(
        /^https?:\/\/[^\s/?#@*]+$/u,
        'an origin like "https://app.example.com", without a path',
      ),
    ),
    'Web pages that can send requests, by origin',
  ),
  limits: section('Limits of requests', limits),
});

/** `agents.list[].mcp`: what an agent changes of it. */
export const agentMcp = () => ({
  write: key(z.boolean(), 'Offer `memory_add` for the memory of this agent'),
});

export const mcp = () => ({
  write: key(z.boolean(), 'Offer `memory_add`, with which agents add to notes'),
  http: section('Where `svc mcp --http` listens', http),
});
