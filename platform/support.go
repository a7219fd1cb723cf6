package platform

import (
	"cmp"
	"time"
)

// Support is how long whoever makes an operating system maintains a release of it.
type Support struct {
	Name string // of the release: "Windows Server 2022", "Debian 12"
	// Until is the last day of regular support, and Extended the last day of support that anybody
	// gets after that without paying. Both are written 2006-01-02. An empty day is unknown; without
	// extended support, Extended is empty.
	Until, Extended string
}

// Ended reports whether nobody gets security updates without paying any more.
func (s Support) Ended(now time.Time) bool { return past(s.End(), now) }

// End returns the day after which nobody gets security updates without paying.
func (s Support) End() string { return cmp.Or(s.Extended, s.Until) }

// OnlyExtended reports whether regular support has ended, and the extended one has not.
func (s Support) OnlyExtended(now time.Time) bool { return past(s.Until, now) && !s.Ended(now) }

// State reports that support has ended, and which; "" if it has not.
func (s Support) State(now time.Time) string {
	switch {
	case s.Ended(now):
		return "the support of " + s.Name + " ended on " + s.End()
	case s.OnlyExtended(now):
		return "the regular support of " + s.Name + " ended on " + s.Until + ", and the extended one ends on " +
			s.Extended
	}
	return ""
}

// past reports whether a day has ended, in UTC.
func past(day string, now time.Time) bool {
	d, err := time.Parse(time.DateOnly, day)
	return err == nil && !now.Before(d.AddDate(0, 0, 1))
}

// early is how long before a patch day Microsoft makes the bases that it publishes on that day.
// Of the bases in the histories of official images (https://github.com/docker-library/repo-info)
// most were made one to five days before.
const early = 7 * 24 * time.Hour

// Behind is how many patch days a base for Windows may be behind before that is reported: images
// are made again some days after a patch day, and not on it.
const Behind = 2

// PatchDay returns the day of a month on which Microsoft publishes updates, the second Tuesday
// (https://learn.microsoft.com/windows/deployment/update/release-cycle), at its begin in UTC.
func PatchDay(year int, month time.Month) time.Time {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, (int(time.Tuesday)-int(first.Weekday())+7)%7+7)
}

// PatchDays returns how many patch days have ended by now whose updates a base that was made at a
// time cannot have, and the last of them.
func PatchDays(made, now time.Time) (n int, last time.Time) {
	made, now = made.UTC(), now.UTC()
	for at := time.Date(made.Year(), made.Month(), 1, 0, 0, 0, 0, time.UTC); at.Before(now); at = at.AddDate(0, 1, 0) {
		day := PatchDay(at.Year(), at.Month())
		if day.Sub(made) > early && !now.Before(day.AddDate(0, 0, 1)) {
			n, last = n+1, day
		}
	}
	return n, last
}
