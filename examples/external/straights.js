// An external bot in JavaScript: node is all it needs. It answers a question in one line.
//
// Where a straight is still worth something it goes for one that lacks a single die; else it keeps what shows most
// often, and draws lots among faces that show equally often. It fills the row that pays most of its best.

"use strict";

const readline = require("readline");

const BEST = {
  ones: 5, twos: 10, threes: 15, fours: 20, fives: 25, sixes: 30,
  pair: 12, two_pairs: 22, three_of_a_kind: 18, four_of_a_kind: 24, full_house: 28,
  small_straight: 20, large_straight: 30, five_of_a_kind: 50, chance: 30,
};

let seeds = [];

// A number from 0 to below n: always the same for a game, round and roll, whatever was asked before.
function lot(turn, n) {
  let state = BigInt("0x" + seeds[turn.game]) ^ BigInt(turn.round * 16 + turn.roll);
  state = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  state = BigInt.asUintN(64, (state ^ (state >> 27n)) * 0x94d049bb133111ebn);
  return Number((state ^ (state >> 31n)) % BigInt(n));
}

// The dice that make the longest run of faces.
function longestRun(dice) {
  let best = [];
  for (const first of dice) {
    const run = [first];
    while (dice.includes(run[run.length - 1] + 1)) run.push(run[run.length - 1] + 1);
    if (run.length > best.length) best = run;
  }
  return best;
}

function hold(turn) {
  const dice = turn.dice;
  const run = longestRun(dice);
  const straights = Object.keys(turn.card).filter((row) => row.endsWith("straight") && turn.card[row] === null);
  if (straights.length > 0 && run.length >= 4) return run;
  const counts = new Map();
  for (const face of dice) counts.set(face, (counts.get(face) || 0) + 1);
  const most = Math.max(...counts.values());
  const faces = [...counts.keys()].filter((face) => counts.get(face) === most);
  const chosen = faces[lot(turn, faces.length)];
  if (turn.pot !== undefined) return dice.filter((face) => counts.get(face) > 1); // showdown: every pair counts
  return dice.filter((face) => face === chosen);
}

function chooseRow(turn) {
  const worth = (row) => turn.scores[row] / (BEST[row] || 20);
  return turn.open_rows.reduce((best, row) => (worth(row) > worth(best) ? row : best));
}

readline.createInterface({ input: process.stdin, terminal: false }).on("line", (line) => {
  const message = JSON.parse(line);
  let answer;
  if (message.type === "hello") {
    seeds = message.seeds;
    answer = { type: "hello", stateless: true };
  } else {
    answer = { answers: message.turns.map(message.type === "hold" ? hold : chooseRow) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
