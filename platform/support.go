package platform

import "time"

// Support is how long whoever makes an operating system maintains a release of it.
type Support struct {
	Name string // of the release: "Windows Server 2022", "Debian 12"
	// Until is the last day of regular support, and Extended the last day of support that anybody
	// gets after that without paying. Both are written 2006-01-02. An empty day is not known; where
	// there is no extended support, Extended is empty.
	Until, Extended string
}

// Ended reports whether nobody gets security updates without paying any more.
func (s Support) Ended(now time.Time) bool {
	if s.Extended != "" {
		return past(s.Extended, now)
	}
	return past(s.Until, now)
}

// End returns the day after which nobody gets security updates without paying.
func (s Support) End() string {
	if s.Extended != "" {
		return s.Extended
	}
	return s.Until
}

// OnlyExtended reports whether regular support has ended, and the extended one has not.
func (s Support) OnlyExtended(now time.Time) bool { return past(s.Until, now) && !s.Ended(now) }

// State says that support has ended, and which; "" if it has not.
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
