/** Tools that book, change and give up flights, rooms, tables, rides and appointments. */
import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, type DescriberEntry, end, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { type Moment, momentOf, momentRows, momentWords } from '../calendar/times.js';
import { asObject, type Given } from '../given.js';
import { amountIn } from '../payments/amount.js';
import { nameWords } from '../schema/names.js';
import { jsonRow } from '../structured.js';
import {
  count,
  entries,
  hiddenReasons,
  high,
  listed,
  low,
  normal,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';

const BOOK = [
  ...listOf('book_flight book_flights book_hotel book_room book_restaurant book_table book_train book_bus'),
  ...listOf('book_ticket book_tickets book_car book_rental_car book_taxi book_ride book_trip book_tour'),
  ...listOf('book_activity book_appointment book_reservation book_stay book_offer book_cab rent_car'),
  ...listOf('make_reservation create_reservation reserve reserve_table reserve_room reserve_car'),
  ...listOf('make_booking create_booking booking_create request_ride order_taxi order_ride hold_flight'),
  ...listOf('create_flight_order flight_order hotel_booking restaurant_booking purchase_ticket buy_ticket'),
];
const CHANGE = [
  ...listOf('change_flight update_reservation update_booking modify_reservation modify_booking'),
  ...listOf('change_booking reschedule_booking reschedule_appointment update_reservation_flights'),
  ...listOf('update_reservation_baggages update_reservation_passengers rebook_flight upgrade_seat'),
];
const CANCEL = [
  ...listOf('cancel_booking cancel_reservation cancel_flight cancel_hotel cancel_appointment cancel_ride'),
  ...listOf('cancel_trip cancel_order_flight cancel_ticket delete_booking delete_reservation'),
];
const LOOK = [
  ...listOf('search_flights search_flight find_flights search_hotels search_hotel search_restaurants'),
  ...listOf('search_cars search_trains search_direct_flight search_onestop_flight get_flight_offers'),
  ...listOf('get_booking get_reservation get_reservation_details list_bookings check_availability'),
  ...listOf('get_offer_details search_availability find_table airbnb_search airbnb_listing_details'),
];

const FROM = listOf('from origin departure_airport departure_city pickup pickup_location from_location');
const TO = listOf('to destination arrival_airport arrival_city dropoff dropoff_location to_location');
const START = [
  ...listOf('depart departure departure_date depart_date check_in checkin check_in_date start_date'),
  ...listOf('pickup_time pickup_date datetime date_time reservation_time date start start_time'),
];
const END = listOf('return return_date check_out checkout check_out_date end_date end dropoff_time end_time');
const PLACE = [
  ...listOf('hotel hotel_name restaurant restaurant_name property property_name venue airline provider'),
  ...listOf('hotel_id restaurant_id listing_id name location city'),
];
const WHO = listOf('passengers guests travelers travellers adults party_size people num_guests covers');
const WHICH = listOf('offer_id flight_number flight_id flight room_type room_id room cabin seat ticket_type');
const ID = [
  ...listOf('booking_id reservation_id confirmation_number booking_reference pnr confirmation_code'),
  ...listOf('appointment_id ride_id order_id id'),
];
const PAYS = listOf('payment_method payment_methods payment_method_id card card_id payment payment_id');
const PRICE = listOf('price total_price fare cost total amount max_price budget');
const PASSES = new Set(['name', 'full_name', 'first_name', 'given_name', 'last_name', 'family_name']);

interface Trip {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly start: Moment | undefined;
  readonly until: Moment | undefined;
  readonly place: string | undefined;
  readonly who: Travellers | undefined;
  readonly which: string | undefined;
  readonly flights: string | undefined;
  readonly id: string | undefined;
  readonly price: string | undefined;
}

interface Travellers {
  readonly value: unknown;
  readonly words: string;
}

/** Undefined for what neither says where, when nor which. */
function tripIn(given: Given): Trip | undefined {
  const trip = {
    ...{ from: given.text(...FROM), to: given.text(...TO), place: given.text(...PLACE) },
    ...{ start: startIn(given), until: momentOf(given.any(...END)) },
    ...{ who: travellersIn(given), which: given.word(...WHICH), id: given.word(...ID) },
    ...{ flights: flightsIn(given), price: priceIn(given) },
  };
  const { from, to, start, place, which, id } = trip;
  return [from, to, start, place, which, id].every((one) => one === undefined) ? undefined : trip;
}

/** A day and a time of day may stand apart. */
function startIn(given: Given): Moment | undefined {
  const zone = given.text('timezone', 'time_zone');
  const start = momentOf(given.any(...START), zone);
  if (start === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(start.text)) return start;
  const time = given.text('time', 'reservation_time', 'arrival_time');
  return time !== undefined && /^\d{2}:\d{2}$/.test(time)
    ? { ...start, text: `${start.text}T${time}` }
    : start;
}

function travellersIn(given: Given): Travellers | undefined {
  const value = given.any(...WHO);
  if (typeof value === 'number' || typeof value === 'string') return { value, words: `for ${value}` };
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const names = value.map(nameOf).filter((one) => one !== undefined);
  const [first] = names;
  const more = value.length - 1;
  return {
    value,
    words:
      first === undefined
        ? `for ${value.length}`
        : `for ${first}${more === 0 ? '' : ` and ${count(more, 'other')}`}`,
  };
}

function nameOf(one: unknown): string | undefined {
  if (typeof one === 'string') return one;
  const object = asObject(one) ?? {};
  const words = Object.entries(object).flatMap(([name, value]) =>
    PASSES.has(name) && typeof value === 'string' ? [value] : [],
  );
  return words.length === 0 ? undefined : words.join(' ');
}

/** `189`, `{amount, currency}`, or what payment tools write. */
function priceIn(given: Given): string | undefined {
  const object = given.object(...PRICE);
  if (object === undefined) return amountIn(given)?.words ?? paidIn(given);
  const { amount, value, total, currency, currency_code } = object;
  const number = amount ?? value ?? total;
  const unit = currency ?? currency_code;
  return (typeof number === 'number' || typeof number === 'string') && typeof unit === 'string'
    ? `${number} ${unit}`
    : jsonText(object);
}

/** What several means of payment pay together. */
function paidIn(given: Given): string | undefined {
  const amounts = (given.list(...PAYS) ?? []).map((one) => asObject(one)?.amount);
  const known = amounts.filter((one) => typeof one === 'number');
  return known.length === 0 || known.length < amounts.length
    ? undefined
    : String(known.reduce((sum, one) => sum + one, 0));
}

/** `HAT083 on 2026-05-20`. */
function flightsIn(given: Given): string | undefined {
  const flights = (given.list('flights', 'segments') ?? []).map((one) => {
    const { flight_number, flightNumber, date } = asObject(one) ?? {};
    const number = flight_number ?? flightNumber;
    return typeof number !== 'string'
      ? undefined
      : typeof date === 'string'
        ? `${number} on ${date}`
        : number;
  });
  return flights.length > 0 && flights.every((one) => one !== undefined) ? flights.join(', ') : undefined;
}

function toldTrip(given: Given, { toolName }: DescribeContext): Told | undefined {
  const trip = tripIn(given);
  if (trip === undefined) return undefined;
  const name = nameWords(toolName);
  const note = given.text('special_requests', 'notes', 'note', 'comment', 'message', 'reason');
  return {
    summary: [end(name), ...tripParts(trip)],
    blocks: [
      ...shown('Booking', trip.id),
      ...shown('Place', trip.place),
      ...shown('Which', trip.which),
      ...shown('From', trip.from),
      ...shown('To', trip.to),
      ...shown('Flights', trip.flights),
      ...momentRows('Starts', trip.start),
      ...momentRows('Ends', trip.until),
      ...travellerRows(trip.who),
      ...shown('Price', trip.price),
      ...jsonRow('Pays by', given.any(...PAYS)),
      ...shown('Note', note, 'text'),
      ...watchOut([note, trip.place]),
    ],
    reasons: [...reasonsOf(name, trip, given.has(...PAYS)), ...hiddenReasons([note, trip.place])],
  };
}

function tripParts({ from, to, start, until, place, who, which, flights, id, price }: Trip): SummaryPart[] {
  const way = [from, to].filter((one) => one !== undefined).join(' → ');
  return [
    ...part(' ', id),
    ...part(id === undefined ? ' ' : ', ', place),
    ...part(' ', way === '' ? undefined : from === undefined ? `to ${way}` : way),
    ...part(' ', id === undefined && place === undefined && way === '' ? which : undefined),
    ...part(', ', flights),
    ...(start === undefined ? [] : [', ', end(momentWords(start))]),
    ...(until === undefined ? [] : [' to ', end(momentWords(until))]),
    ...part(', ', who?.words),
    ...part(', ', price),
  ];
}

function part(words: string, text: string | undefined): SummaryPart[] {
  return text === undefined ? [] : [words, end(text)];
}

function travellerRows(who: Travellers | undefined) {
  if (who === undefined) return [];
  const { value } = who;
  if (!Array.isArray(value)) return shown('Travellers or guests', String(value));
  const plain = value.every((one) => typeof one === 'string');
  return plain ? listed('Travellers or guests', value) : jsonRow('Travellers or guests', value);
}

function reasonsOf(name: string, { price }: Trip, pays: boolean): Reason[] {
  const costs: Reason[] = [
    ...(price === undefined ? [] : [high(`costs ${price}`)]),
    ...(pays && price === undefined ? [high('pays, and does not say how much')] : []),
  ];
  if (/^(?:cancel|delete)/i.test(name)) return [high('gives up a booking'), ...costs];
  if (/^(?:change|update|modify|reschedule|rebook|upgrade)/i.test(name))
    return [normal('changes a booking'), ...costs];
  return [...costs, normal('books in your name')];
}

function toldLook(given: Given, { toolName }: DescribeContext): Told | undefined {
  const trip = tripIn(given);
  if (trip === undefined) return undefined;
  return {
    summary: [end(nameWords(toolName)), ...tripParts(trip)],
    blocks: [
      ...shown('Booking', trip.id),
      ...shown('Place', trip.place),
      ...shown('From', trip.from),
      ...shown('To', trip.to),
      ...momentRows('Starts', trip.start),
      ...momentRows('Ends', trip.until),
      ...travellerRows(trip.who),
    ],
    reasons: [low('only looks')],
    least: 'low',
  };
}

export const travelTools: readonly DescriberEntry[] = [
  ...entries([...BOOK, ...CHANGE, ...CANCEL], toldTrip),
  ...entries(LOOK, toldLook),
];
