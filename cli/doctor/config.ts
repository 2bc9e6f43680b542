import { z } from 'zod';
import { durationMs, type Environment, parseSettings } from '../../src/config/settings.ts';

const variables = z.object({ DOCTOR_TIMEOUT: durationMs({ min: 100, max: 5 * 60_000, default: 10_000 }) });

/** The limit of `entity-search doctor`. */
export interface DoctorConfig {
  /** For each check by itself. */
  readonly timeoutMs: number;
}

export function doctorConfig(env: Environment): DoctorConfig {
  return { timeoutMs: parseSettings(variables, env).DOCTOR_TIMEOUT };
}
