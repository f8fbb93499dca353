// The upper limit of a listener on this machine: an empty JSON handler with the same HTTP library.
import { fastify } from 'fastify';

const server = fastify();
server.post('/', async () => ({ ok: true }));
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
