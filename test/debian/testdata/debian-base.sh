#!/bin/sh
# Makes of a minimal Debian, whose root is $1, what Kubernetes' debian-base is: smaller, with
# clean-install, without services, and with a package on hold. mmdebstrap runs it.
set -eu
root=$1
inside() { DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

for p in /usr/share/doc /usr/share/groff /usr/share/i18n/locales /usr/share/info /usr/share/locale /usr/share/man; do
	echo "path-exclude $p/*"
	case $p in
	*/doc) echo 'path-include /usr/share/doc/*/copyright' ;;
	*/locales | */locale) echo "path-include $p/en_US*" ;;
	esac
done > "$root/etc/dpkg/dpkg.cfg.d/excludes"
echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/docker-apt-speedup"
clean='"rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true";'
cat > "$root/etc/apt/apt.conf.d/docker-clean" << EOF
DPkg::Post-Invoke { $clean };
APT::Update::Post-Invoke { $clean };
Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";
EOF
echo 'Acquire::GzipIndexes "true";' > "$root/etc/apt/apt.conf.d/docker-gzip-indexes"
echo 'Acquire::Languages "none";' > "$root/etc/apt/apt.conf.d/docker-no-languages"
echo 'Apt::AutoRemove::SuggestsImportant "false";' > "$root/etc/apt/apt.conf.d/docker-autoremove-suggests"
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
cat > "$root/usr/local/bin/clean-install" << 'EOF'
#!/bin/sh
set -e
apt-get update
apt-get install -y --no-install-recommends "$@"
apt-get clean -y
rm -rf /var/cache/debconf/* /var/lib/apt/lists/* /var/log/* /tmp/* /var/tmp/*
EOF
cd "$root/usr/local/bin"
touch noop
for name in runlevel invoke-rc.d update-rc.d; do ln -s noop $name; done
chmod 755 "$root/usr/sbin/policy-rc.d" clean-install
chmod 555 noop

gone=
for p in bash e2fsprogs libss2 libcom-err2 libext2fs2 logsave ncurses-base ncurses-bin tzdata; do
	if inside dpkg-query -W $p > /dev/null 2>&1; then gone="$gone $p"; fi
done
inside dpkg --purge --force-remove-essential --force-depends $gone
inside apt-get autoremove --purge -y -q
inside apt-mark hold libcap2
inside apt-get clean
cd "$root"
rm -rf usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/common-licenses var/lib/apt/lists/* \
	var/log/* var/cache/debconf/* etc/systemd usr/lib/lsb usr/lib/udev
for n in 1 2 3 4 5 6 7 8; do mkdir -p usr/share/man/man$n; done
