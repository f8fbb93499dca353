// Prints the help of commands of the built program, a NUL after each: `node svc-help.cjs ROOT '[["config","path"],…]'`.
const { join } = require('node:path');

const [root, commands] = process.argv.slice(2);
const { main } = require(join(root, 'dist/main.js'));
const launch = { root, commandsDir: 'dist/commands', extension: '.js', load: require };

async function printAll() {
  for (const words of JSON.parse(commands)) {
    await main([...words, '--help'], launch);
    // A pipe that is full takes no more at once.
    await new Promise((done) => process.stdout.write('\0', done));
  }
}

void printAll();
