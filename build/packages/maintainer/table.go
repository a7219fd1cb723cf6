package maintainer

// table has the commands that are known, by name, or by path where the directory matters.
func (r *Runner) table() map[string]row {
	if r.rows == nil {
		r.rows = joined()
	}
	return r.rows
}

func joined() map[string]row {
	all := map[string]row{}
	for _, t := range []func() map[string]row{fileRows, textRows, dpkgRows, serviceRows, leftOutRows, otherRows} {
		for name, k := range t() {
			all[name] = k
		}
	}
	return all
}

// fileRows are commands that change or ask about files: those of coreutils and findutils.
func fileRows() map[string]row {
	return map[string]row{
		"mkdir": {
			letters: "pvm:Z", long: "parents=p mode=m verbose=v", least: 1, essential: true, run: mkdir,
		},
		"touch": {
			letters: "amchr:d:t:", long: "no-create=c no-dereference=h reference=r date=d", least: 1, essential: true,
			run: touch,
		},
		"ln": {
			letters: "sfnvTt:r", least: 1, essential: true, run: ln,
			long: "symbolic=s force=f no-dereference=n verbose=v no-target-directory=T target-directory=t relative=r",
		},
		"cp": {
			letters: "rRapfvdPLHTt:nuZlsbxi", least: 1, essential: true, run: cp,
			long: "recursive=r archive=a force=f verbose=v no-dereference=P dereference=L no-target-directory=T " +
				"target-directory=t no-clobber=n preserve remove-destination update=u",
		},
		"mv": {
			letters: "fvTt:nuZbi", least: 1, essential: true, run: mv,
			long: "force=f verbose=v no-target-directory=T target-directory=t no-clobber=n backup=b update=u",
		},
		"install": {
			letters: "cDdvpTm:o:g:t:Z", least: 1, essential: true, run: install,
			long: "directory=d mode=m owner=o group=g target-directory=t no-target-directory=T verbose=v " +
				"preserve-timestamps=p",
		},
		"rm": {letters: "rRfvd", long: "recursive=r force=f verbose=v", essential: true, run: rm},
		"rmdir": {
			letters: "pv", long: "parents=p verbose=v ignore-fail-on-non-empty", least: 1, essential: true, run: rmdir,
		},
		"chmod": {
			letters: "Rvcf", long: changing, essential: true, run: chmod,
		},
		"chown": {letters: "Rhvcf", long: changing + " no-dereference=h from:", essential: true, run: chown},
		"chgrp": {letters: "Rhvcf", long: changing + " no-dereference=h", essential: true, run: chgrp},
		"find":  {plain: true, essential: true, run: find},
		"mktemp": {
			letters: "duqtp:", long: "directory=d dry-run=u quiet=q tmpdir: suffix:", essential: true, run: mktemp,
		},
		"tempfile": {letters: "d:p:s:m:n:", essential: true, run: mktempFile},
		"stat": {
			letters: "Lc:f", long: "dereference=L format=c file-system=f", least: 1, essential: true, run: stat,
		},
		"ls": {letters: "1aAdLlFhtrR", least: 0, essential: true, run: ls},
		"readlink": {
			letters: "femnqsvz", least: 1, essential: true, run: readlink,
			long: "canonicalize=f canonicalize-existing=e canonicalize-missing=m no-newline=n",
		},
		"realpath": {
			letters: "emsq", long: "canonicalize-existing=e canonicalize-missing=m no-symlinks=s quiet=q", least: 1,
			essential: true, run: realpath,
		},
		"dirname":    {least: 1, essential: true, run: dirname},
		"basename":   {letters: "as:", long: "multiple=a suffix=s", least: 1, essential: true, run: basename},
		"sync":       {plain: true, essential: true, run: nothing},
		"mountpoint": {letters: "qdx", long: "quiet=q", essential: true, run: mountpoint},
		"findmnt":    {plain: true, essential: true, run: fails}, // nothing is mounted
	}
}

// changing are options that chmod, chown and chgrp have.
const changing = "recursive=R verbose=v changes=c silent=f quiet=f reference:"

// textRows are commands that read and print texts.
func textRows() map[string]row {
	sums := row{
		letters: "cbtwsq", long: "check=c binary=b text=t status quiet warn=w strict ignore-missing", essential: true,
		run: sum,
	}
	greps := row{
		letters: "EFGPe:f:ivwxqshHnolLcrRm:y", essential: true, run: grep,
		long: "extended-regexp=E fixed-strings=F basic-regexp=G regexp=e file=f ignore-case=i invert-match=v " +
			"word-regexp=w line-regexp=x quiet=q silent=q no-messages=s only-matching=o count=c files-with-matches=l " +
			"line-number=n no-filename=h max-count=m",
	}
	lines := row{letters: "n:c:qv0123456789", long: "lines=n bytes=c quiet=q", essential: true, run: headTail}
	return map[string]row{
		"cat":  {letters: "u", essential: true, run: cat},
		"tac":  {essential: true, run: tac},
		"tee":  {letters: "ai", long: "append=a", essential: true, run: tee},
		"head": lines,
		"tail": lines,
		"cut": {
			letters: "d:f:c:b:s", long: "delimiter=d fields=f only-delimited=s", essential: true, run: cutCommand,
		},
		"sort": {
			letters: "unrk:t:o:Vzbs", long: "unique=u numeric-sort=n reverse=r", essential: true, run: sortCommand,
		},
		"uniq":  {letters: "cdu", long: "count=c", essential: true, run: uniq},
		"wc":    {letters: "lwc", long: "lines=l", essential: true, run: wc},
		"tr":    {letters: "dscC", long: "delete=d squeeze-repeats=s", least: 1, essential: true, run: tr},
		"grep":  greps,
		"egrep": greps,
		"fgrep": greps,
		"sed": {
			letters: "nEre:f:i?s", essential: true, run: sed,
			long: "in-place=i quiet=n silent=n expression=e file=f regexp-extended=E follow-symlinks",
		},
		"awk":    {plain: true, essential: true, run: awk},
		"mawk":   {plain: true, run: awk},
		"cmp":    {letters: "sq", long: "quiet=s silent=s", least: 2, essential: true, run: cmpCommand},
		"diff":   {letters: "qs", long: "brief=q", least: 2, essential: true, run: cmpCommand},
		"fold":   {letters: "sw:", essential: true, run: cat},
		"expr":   {plain: true, essential: true, run: expr},
		"seq":    {plain: true, essential: true, run: seq},
		"md5sum": sums, "sha1sum": sums, "sha256sum": sums, "sha512sum": sums,
	}
}

// dpkgRows are commands of dpkg and debconf.
func dpkgRows() map[string]row {
	return map[string]row{
		"dpkg": {plain: true, essential: true, run: dpkg},
		"dpkg-query": {
			letters: "WLSslf:", essential: true, run: dpkgQuery,
			long: "show=W listfiles=L search=S status=s list=l showformat=f control-path admindir: root:",
		},
		"dpkg-divert": {
			essential: true, run: divert,
			long: "add remove list listpackage truename rename no-rename local quiet package: divert: admindir: root:",
		},
		"dpkg-trigger": {
			essential: true, run: trigger, long: "await no-await check-supported by-package: admindir:",
		},
		"/usr/share/debconf/frontend": {plain: true, essential: true, run: frontend},
		"debconf-set-selections":      {letters: "cv", essential: true, run: setSelections},
		"debconf-communicate":         {plain: true, run: refused},
		"debconf-escape":              {letters: "eu", run: debconfEscape},
	}
}

// serviceRows are commands about what runs. In an image nothing does.
func serviceRows() map[string]row {
	return map[string]row{
		"systemctl": {
			letters: "qnHMpa", run: systemctl,
			long: "quiet=q system user global root: preset-mode: no-reload no-block force now help version property: " +
				"value no-legend no-pager all state: machine:",
		},
		"deb-systemd-helper":  {long: "quiet user system", essential: true, run: systemdHelper},
		"deb-systemd-invoke":  {plain: true, essential: true, run: service},
		"invoke-rc.d":         {plain: true, essential: true, run: service},
		"service":             {plain: true, essential: true, run: service},
		"update-rc.d":         {letters: "f", essential: true, run: updateRC},
		"start-stop-daemon":   {plain: true, essential: true, run: service},
		"telinit":             {plain: true, run: service},
		"runlevel":            {plain: true, run: fails},
		"who":                 {plain: true, essential: true, run: nothing},
		"pidof":               {plain: true, run: fails},
		"pgrep":               {plain: true, run: fails},
		"pkill":               {plain: true, run: fails},
		"killall":             {plain: true, run: fails},
		"kill":                {plain: true, essential: true, run: fails},
		"sleep":               {plain: true, essential: true, run: nothing},
		"ischroot":            {plain: true, essential: true, run: nothing},
		"udevadm":             {plain: true, run: service},
		"modprobe":            {plain: true, run: service},
		"sysctl":              {plain: true, run: service},
		"busctl":              {plain: true, run: fails},
		"dbus-send":           {plain: true, run: fails},
		"setupcon":            {plain: true, run: service},
		"restorecon":          {plain: true, run: nothing},
		"selinuxenabled":      {plain: true, run: fails},
		"aa-enabled":          {plain: true, run: fails},
		"aa-status":           {plain: true, run: fails},
		"apparmor_parser":     {plain: true, run: nothing},
		"systemd-detect-virt": {plain: true, run: fails},
		"systemd-tmpfiles":    {run: tmpfiles, long: "create remove clean boot prefix: exclude-prefix: root: graceful"},
	}
}

// leftOutRows are programs whose effects are left out: caches, and what a machine invents.
func leftOutRows() map[string]row {
	return map[string]row{
		"update-initramfs":         {plain: true, run: cache},
		"depmod":                   {plain: true, run: cache},
		"update-grub":              {plain: true, run: cache},
		"mandb":                    {plain: true, run: cache},
		"fc-cache":                 {plain: true, run: cache},
		"systemd-hwdb":             {plain: true, run: cache},
		"journalctl":               {plain: true, run: cache},
		"py3compile":               {plain: true, run: cache},
		"pypy3compile":             {plain: true, run: cache},
		"pycompile":                {plain: true, run: cache},
		"py3clean":                 {plain: true, run: nothing},
		"update-menus":             {plain: true, run: cache},
		"update-icon-caches":       {plain: true, run: cache},
		"update-binfmts":           {plain: true, run: service},
		"gtk-update-icon-cache":    {plain: true, run: cache},
		"update-desktop-database":  {plain: true, run: cache},
		"update-mime-database":     {plain: true, run: cache},
		"glib-compile-schemas":     {plain: true, anywhere: true, run: cache},
		"gio-querymodules":         {plain: true, anywhere: true, run: cache},
		"gdk-pixbuf-query-loaders": {plain: true, anywhere: true, run: cache},
		"python3":                  {plain: true, run: pythonCommand},
		"install-info":             {plain: true, run: cache},
		"systemd-machine-id-setup": {plain: true, run: identity},
		"dbus-uuidgen":             {plain: true, run: identity},
		"ssh-keygen":               {plain: true, run: identity},
		"make-ssl-cert":            {plain: true, run: identity},
		"nscd":                     {plain: true, run: service},
		"vgcfgbackup":              {plain: true, run: service},
		"dmsetup":                  {plain: true, run: service},
		"/usr/share/update-notifier/notify-reboot-required": {plain: true, run: nothing},
	}
}

// otherRows are the remaining commands.
func otherRows() map[string]row {
	return map[string]row{
		"env":             {plain: true, essential: true, run: env},
		"xargs":           {plain: true, essential: true, run: xargs},
		"sh":              {plain: true, essential: true, run: sh},
		"dash":            {plain: true, essential: true, run: sh},
		"bash":            {plain: true, essential: true, run: sh},
		"update-passwd":   {plain: true, essential: true, run: updatePasswd},
		"pam-auth-update": {long: "package force remove root:", run: pamUpdate},
		"pwck":            {plain: true, essential: true, run: nothing},
		"grpck":           {plain: true, essential: true, run: nothing},
		"pwconv":          {plain: true, essential: true, run: pwconv},
		"grpconv":         {plain: true, essential: true, run: pwconv},
		"getopt":          {plain: true, essential: true, run: getopt},
		"git":             {plain: true, run: git},
		"setpriv":         {plain: true, essential: true, run: asUser},
		"runuser":         {plain: true, essential: true, run: asUser},
		"update-locale":   {long: "no-checks reset remove", run: updateLocale},
		"nohup":           {plain: true, essential: true, run: handOn},
		"nice":            {plain: true, essential: true, run: handOn},
		"uname":           {letters: "srmvnpioa", essential: true, run: uname},
		"arch":            {essential: true, run: arch},
		"hostname":        {plain: true, essential: true, run: hostname},
		"nproc":           {plain: true, essential: true, run: refused},
		"date":            {plain: true, essential: true, run: date},
		"clear":           {plain: true, run: nothing},
		"tput":            {plain: true, run: fails},
		"uuidgen":         {plain: true, run: invented},
		"iscsi-iname":     {plain: true, run: invented},
		"nvme":            {plain: true, run: nvme},
		"logger":          {plain: true, run: nothing},
		"chattr":          {plain: true, run: nothing},
		"lsattr":          {plain: true, run: fails},
		"perl":            {plain: true, run: perl},
	}
}
