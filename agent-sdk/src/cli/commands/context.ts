/** What every command is given. */
import type { RemoteAgent } from '../../daemon/index.js';
import { type Io, Terminal } from '../io.js';
import { type Place, placeOf, reach } from '../reach.js';
import type { SettingOptions } from '../settings.js';

export class Context {
  readonly io: Io;
  readonly terminal: Terminal;
  readonly options: SettingOptions;
  readonly place: Place;

  constructor(io: Io, options: SettingOptions) {
    this.io = io;
    this.terminal = new Terminal(io);
    this.options = options;
    this.place = placeOf(options, io);
  }

  get interrupted(): AbortSignal {
    return this.io.interrupts.signal;
  }

  reach(): Promise<RemoteAgent> {
    return reach(this.options, this.io);
  }

  /** The agent for as long as `use` takes. */
  async withAgent<T>(use: (agent: RemoteAgent) => Promise<T>): Promise<T> {
    const agent = await this.reach();
    try {
      return await use(agent);
    } finally {
      await agent.close();
    }
  }
}
