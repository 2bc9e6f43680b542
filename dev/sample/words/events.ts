export interface EventType {
  readonly type: string;
  /** What stands after the series' word: "Lantern" + "Summit". */
  readonly titles: readonly string[];
  readonly daysMax: number;
  readonly capacities: readonly number[];
}

export const EVENT_TYPES: readonly EventType[] = [
  {
    type: 'conference',
    titles: ['Summit', 'Conference', 'Forum', 'Con', 'World'],
    daysMax: 4,
    capacities: [400, 750, 1200, 2500, 6000],
  },
  {
    type: 'hackathon',
    titles: ['Hackathon', 'Buildathon', 'Hack', 'Hack Week'],
    daysMax: 3,
    capacities: [80, 120, 250, 400],
  },
  {
    type: 'meetup',
    titles: ['Meetup', 'Builders Night', 'Drinks', 'Breakfast'],
    daysMax: 1,
    capacities: [25, 35, 50, 80],
  },
  { type: 'workshop', titles: ['Workshop', 'Bootcamp', 'School', 'Clinic'], daysMax: 2, capacities: [20, 30, 60] },
  {
    type: 'summit',
    titles: ['DeFi Summit', 'Policy Summit', 'Security Summit', 'Zero-Knowledge Days'],
    daysMax: 2,
    capacities: [150, 300, 600],
  },
  { type: 'festival', titles: ['Week', 'Festival', 'Fair'], daysMax: 6, capacities: [800, 3000, 9000] },
] as const;

export const VENUES = [
  'The Old Ropeworks',
  'Pier Nine Hall',
  'Granary Theatre',
  'Tram Depot 4',
  'The Glass Market',
  'Linden Court Hotel',
  'Harbour Exchange Rooms',
  'Brickfield Studios',
  'Academy of Useful Arts',
  'North Quay Pavilion',
  'The Clockmakers’ House',
  'Salle des Métiers',
  'Kulturhaus Nordtor',
  'Mercado Viejo',
] as const;

export const ORGANIZERS = [
  'Rushlight Assembly',
  'The Teasel Society',
  'Open Ledger Guild',
  'Brackwater Community Trust',
  'Sundial Events',
  'Women of the Quay',
  'Student Chain League',
] as const;

export const EVENT_SENTENCES = [
  'Talks in the morning, workshops after lunch, and a long table in the evening.',
  'Speakers show working code and the incidents that shaped it.',
  'Teams have the weekend to build, and a panel of maintainers reads every submission.',
  'Tickets for students and open-source maintainers are free.',
  'Sessions are recorded and published under a free licence.',
  'Bring a laptop: most sessions end with something deployed to a test network.',
  'The programme covers markets, infrastructure, law and the people in between.',
  'A quiet room, childcare and live captions are provided.',
  'Grants are announced on the last day.',
  'No panels, no pitches: only demonstrations.',
] as const;
