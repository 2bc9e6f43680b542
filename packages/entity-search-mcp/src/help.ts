import { optionList } from './options.ts';

const width = 92;

export function helpText(version: string): string {
  return `entity-search-mcp ${version}

MCP server over stdio for desktop clients (Claude Desktop, Claude Code, Cursor, VS Code …). It forwards to an
entity-search service, which searches Web3 companies, people, investors and events.

Usage: npx -y entity-search-mcp --url URL

It is started by the client, which talks to it on stdin and stdout. Give it one of two ways in:

  an API key     every tool works; ask the service's operator for one, or make one on its page /account/keys
  a wallet       search_entities alone works, and each search is paid in USDC by the x402 protocol

A client's configuration, with a key:

  {
    "mcpServers": {
      "entity-search": {
        "command": "npx",
        "args": ["-y", "entity-search-mcp", "--url", "https://api.example.com"],
        "env": { "ENTITY_SEARCH_API_KEY": "es_live_…" }
      }
    }
  }

With a wallet, "env" is instead:

  { "ENTITY_SEARCH_WALLET_KEY": "0x…", "ENTITY_SEARCH_NETWORK": "eip155:84532", "ENTITY_SEARCH_MAX_USD_PER_DAY": "1.00" }

Settings (a flag wins over the environment):

${optionList.map(optionText).join('\n')}

  --help, --version

Money: nothing is signed that costs more than the two limits, is on another network, or is in another token than its
USDC. A signed payment counts against the day's limit even if it was refused. The day's sum is stored in the user's
state directory (XDG_STATE_HOME, or the platform's own), so a restart does not renew the limit; if it can't be stored,
nothing is signed. A call that failed after it was paid is repeated with the same payment, so it is never paid twice.

It logs to stderr. It ends with code 0 when stdin ends or at SIGTERM, and with 2 for wrong settings.
`;
}

function optionText({ env, flag, value, text, ...option }: (typeof optionList)[number]): string {
  const names = flag === undefined ? `${env}=${value}` : `--${flag} ${value}, ${env}`;
  const preset = option.default === undefined ? '' : ` Default: ${option.default}.`;
  return `  ${names}\n${wrapped(text + preset, '      ')}`;
}

function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => indent + each).join('\n');
}
