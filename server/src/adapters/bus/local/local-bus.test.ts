import { relayBusConformance } from '../../../../../test/conformance/relay-bus.js';
import { openLocalBus } from './local-bus.js';

relayBusConformance('local', openLocalBus);
