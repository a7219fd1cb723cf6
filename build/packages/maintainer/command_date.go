package maintainer

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// date prints the beginning of the day that the runner has, in UTC.
func date(c *call) (int, error) {
	args := slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return a == "-u" || a == "--utc" })
	t := time.Unix(int64(c.r.Day)*24*60*60, 0).UTC()
	switch {
	case len(args) == 0:
		return c.print(t.Format("Mon Jan _2 15:04:05 UTC 2006") + "\n")
	case len(args) == 1 && (args[0] == "-R" || args[0] == "--rfc-2822" || args[0] == "--rfc-email"):
		return c.print(t.Format("Mon, 02 Jan 2006 15:04:05 +0000") + "\n")
	case len(args) == 2 && args[0] == "-d":
		return c.print(args[1] + "\n") // as it was printed before
	case len(args) != 1 || args[0][0] != '+':
		return 0, unknownOption(strings.Join(c.args, " "))
	}
	form := strings.NewReplacer("%Y", "2006", "%m", "01", "%d", "02", "%H", "15", "%M", "04", "%S", "05", "%y", "06",
		"%F", "2006-01-02", "%T", "15:04:05", "%s", "\x00").Replace(args[0][1:])
	if strings.Contains(form, "%") {
		return 0, unknownOption(args[0])
	}
	return c.print(strings.ReplaceAll(t.Format(form), "\x00", strconv.FormatInt(t.Unix(), 10)) + "\n")
}

// seq prints numbers.
func seq(c *call) (int, error) {
	var n []int
	for _, a := range c.args {
		i, err := strconv.Atoi(a)
		if err != nil {
			return 0, unknownOption(a)
		}
		n = append(n, i)
	}
	from, step, to := 1, 1, 0
	switch len(n) {
	case 1:
		to = n[0]
	case 2:
		from, to = n[0], n[1]
	case 3:
		from, step, to = n[0], n[1], n[2]
	}
	if step == 0 || len(n) == 0 || (to-from)/step > 1_000_000 {
		return 0, unknownOption(strings.Join(c.args, " "))
	}
	for i := from; i <= to && step > 0 || i >= to && step < 0; i += step {
		if _, err := c.print(strconv.Itoa(i) + "\n"); err != nil {
			return 0, err
		}
	}
	return 0, nil
}
