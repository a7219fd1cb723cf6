package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
)

// rank says how much a place in a repository proves about what users get.
type rank int

const (
	// What many projects do, and nothing here says, is of rank 0.
	_ rank = iota
	// develops is for commands of developers: defaults of make, scripts, tests, builds that are
	// not pushed.
	develops
	// copies is what users install under the name of another owner than the repository's: a copy of a
	// repository names the original.
	copies
	// installs is what users install: manifests, charts, the README.
	installs
	// publishes is what releases are made with.
	publishes
)

// ofUsers reports whether users install it.
func (r rank) ofUsers() bool { return r == installs || r == copies }

// place is a line of a file of the repository; 0 is the whole file.
type place struct {
	file string
	line int
}

func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// claim is a value that a place gives to a fact.
type claim struct {
	value string
	rank  rank
	at    place
}

func (c claim) published() bool { return c.rank == publishes }

// candidate is a value with the places that give it, those of the highest rank first.
type candidate struct {
	value string
	rank  rank
	seen  []string
}

// Question is a fact that nothing proves, that two places contradict, or that only a developer's
// default gives.
type Question struct {
	// Key is where slipway.yaml has the fact, and What describes the unknown fact.
	Key, What string
	// Candidates are what it may be, the likeliest first; none if nothing here gives a value.
	Candidates []Candidate
	line       int // of slipway.yaml
}

// Candidate is a value that a fact may have, and the files and lines that give it.
type Candidate struct {
	Value string
	Seen  []string
}

// decide returns the likeliest value of a fact, "" if there is none. Unless it is proven it is
// asked for, and without an answer it becomes a question.
func (d *Draft) decide(key, what string, claims []claim) string {
	all := candidates(claims)
	answer, ok := d.options.Answers[key]
	if ok {
		return d.use(key, answer, all)
	}
	if !proven(all) {
		q := question(key, what, all)
		if answer, ok := d.answer(q); ok {
			return d.use(key, answer, all)
		}
		d.ask(q)
	}
	if len(all) == 0 {
		return ""
	}
	return d.use(key, all[0].value, all)
}

// use notes where a value of a fact stands, and returns it.
func (d *Draft) use(key, value string, all []candidate) string {
	d.seen[key] = nil
	if n := slices.IndexFunc(all, func(c candidate) bool { return c.value == value }); n >= 0 {
		d.seen[key] = all[n].seen
	}
	return value
}

// answer asks a person, unless there is none, or one has stopped to answer.
func (d *Draft) answer(q Question) (string, bool) {
	if d.options.Ask == nil || d.stopped || d.isAsked(q.Key) || len(q.Candidates) == 0 && !q.open() {
		return "", false
	}
	if answer, ok := d.options.Answers[q.Key]; ok {
		return answer, true
	}
	answer, ok, err := d.options.Ask(q)
	if err != nil || !ok {
		d.failed, d.stopped = err, true
		return "", false
	}
	if answer != "" {
		d.options.Answers[q.Key] = answer
	}
	return answer, answer != ""
}

// proven reports whether something that publishes, or that users install, gives the first value and
// nothing of the same rank another one.
func proven(all []candidate) bool {
	return len(all) > 0 && all[0].rank >= installs && (len(all) == 1 || all[1].rank < all[0].rank)
}

// shared is a fact with the same claims for several parts of the product, which is one question.
func (d *Draft) shared(key, of, what string, claims []claim) string {
	var text string
	for _, c := range candidates(claims) {
		text += c.value + "\n"
	}
	if old, ok := d.same[key]; ok && old != text {
		key += " of " + of
	}
	d.same[key] = text
	return d.decide(key, what, claims)
}

// ask adds a question, once.
func (d *Draft) ask(q Question) {
	if !d.isAsked(q.Key) {
		d.Questions = append(d.Questions, q)
	}
}

// isAsked reports whether a fact is a question that nobody has answered.
func (d *Draft) isAsked(key string) bool {
	return slices.ContainsFunc(d.Questions, func(q Question) bool { return q.Key == key })
}

// lacks adds what slipway.yaml does not have, and nothing here is an answer to.
func (d *Draft) lacks(key, format string, args ...any) {
	d.ask(question(key, fmt.Sprintf(format, args...), nil))
}

func question(key, what string, all []candidate) Question {
	q := Question{Key: key, What: what}
	for _, c := range all[:min(len(all), maxCandidates)] {
		q.Candidates = append(q.Candidates, Candidate{c.value, c.seen[:min(len(c.seen), maxSeen)]})
	}
	return q
}

// maxCandidates and maxSeen bound a question.
const maxCandidates, maxSeen = 12, 4

// candidates puts claims of one value together: the highest rank first, and then in their order.
func candidates(claims []claim) (all []candidate) {
	claims = slices.Clone(claims)
	slices.SortStableFunc(claims, func(a, b claim) int { return cmp.Compare(b.rank, a.rank) })
	for _, c := range claims {
		n := slices.IndexFunc(all, func(o candidate) bool { return o.value == c.value })
		if n < 0 {
			n = len(all)
			all = append(all, candidate{value: c.value, rank: c.rank})
		}
		if c.at.file != "" && !seenIn(all[n].seen, c.at.file) {
			all[n].seen = append(all[n].seen, c.at.String()) // one line of each file
		}
	}
	return all
}

// seenIn reports whether places have one of a file.
func seenIn(seen []string, file string) bool {
	return slices.ContainsFunc(seen, func(s string) bool { return s == file || strings.HasPrefix(s, file+":") })
}

// byCount orders claims by how often their values are claimed.
func byCount(claims []claim) []claim {
	n := map[string]int{}
	for _, c := range claims {
		n[c.value]++
	}
	slices.SortStableFunc(claims, func(a, b claim) int { return cmp.Compare(n[b.value], n[a.value]) })
	return claims
}

// note remembers a place that a fact comes from.
func (d *Draft) note(key string, at place) {
	if at.file != "" && !seenIn(d.seen[key], at.file) {
		d.seen[key] = append(d.seen[key], at.String())
	}
}

// from is the comment on where a fact of slipway.yaml comes from; "" if nothing says so.
func (d *Draft) from(keys ...string) string {
	var all []string
	for _, key := range keys {
		seen := d.seen[key]
		all = appendNew(all, seen[:min(len(seen), 2)]...)
	}
	return comment(all)
}

// comment is the comment with places; "" without any.
func comment(places []string) string {
	if len(places) == 0 {
		return ""
	}
	return "  # " + output.Line(strings.Join(places, ", "))
}
