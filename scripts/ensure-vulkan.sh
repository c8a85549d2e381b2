#!/usr/bin/env bash
# Makes sure that a Vulkan driver is there: installs Mesa's software driver on Debian and Ubuntu, only where there is none.
#
# usage: scripts/ensure-vulkan.sh [--with-gl]
#   --with-gl   also install what OpenGL needs (for tests of `--backend gl`)
#
# Exit status: 0 a driver is there, 1 there is none and it could not be installed, 2 usage.
set -euo pipefail

usage='usage: scripts/ensure-vulkan.sh [--with-gl]'

say() { printf 'ensure-vulkan: %s\n' "$*"; }
fail() {
    printf 'ensure-vulkan: %s\n' "$*" >&2
    exit 1
}

with_gl=false
for argument in "$@"; do
    case $argument in
    --with-gl) with_gl=true ;;
    -h | --help)
        printf '%s\n' "$usage"
        exit 0
        ;;
    *)
        printf "ensure-vulkan: unknown argument '%s'\n%s\n" "$argument" "$usage" >&2
        exit 2
        ;;
    esac
done

case $(uname -s) in
Linux) ;;
*)
    say 'nothing to do: not Linux, where Metal or Direct3D 12 comes with the system'
    exit 0
    ;;
esac

# ldconfig is not on the path of every user.
PATH=$PATH:/usr/sbin:/sbin

# Whether the linker knows a library of this file name.
has_library() {
    # Read to the end: grep -q would break the pipe.
    [ -n "$(ldconfig -p 2>/dev/null | grep -F -- "$1 " || true)" ]
}

# Whether the library that a driver's manifest names is there; a manifest may outlive its driver.
manifest_works() {
    local manifest=$1 library
    library=$(sed -n 's/.*"library_path"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$manifest" 2>/dev/null)
    case $library in
    '') return 1 ;;
    /*) [ -e "$library" ] ;;
    */*) [ -e "$(dirname "$manifest")/$library" ] ;;
    *) has_library "$library" ;;
    esac
}

# The first usable manifest where the Vulkan loader looks, if there is one.
find_driver() {
    local only=${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}} place manifest
    local home=${HOME:-/nonexistent}
    local places=$only
    if [ -z "$only" ]; then
        # As the loader does: these two lists name folders, in which it looks for vulkan/icd.d.
        local folders=${XDG_CONFIG_HOME:-$home/.config}:${XDG_CONFIG_DIRS:-/etc/xdg}:/usr/local/etc:/etc
        folders=$folders:${XDG_DATA_HOME:-$home/.local/share}:$home/.local/share
        folders=$folders:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}:/usr/share
        places=${VK_ADD_DRIVER_FILES:-}
        while IFS= read -r place; do
            places=$places:$place/vulkan/icd.d
        done < <(tr ':' '\n' <<<"$folders")
    fi
    while IFS= read -r place; do
        [ -n "$place" ] || continue
        if [ -d "$place" ]; then
            for manifest in "$place"/*.json; do
                if [ -e "$manifest" ] && manifest_works "$manifest"; then
                    printf '%s\n' "$manifest"
                    return
                fi
            done
        elif [ -e "$place" ] && manifest_works "$place"; then
            printf '%s\n' "$place"
            return
        fi
    done < <(tr ':' '\n' <<<"$places")
}

# Prints the packages that are missing, on one line.
missing_packages() {
    local packages=''
    [ -n "$(find_driver)" ] || packages='mesa-vulkan-drivers'
    has_library libvulkan.so.1 || packages="$packages libvulkan1"
    if $with_gl; then
        local package
        for package in libegl1 libgl1-mesa-dri libgles2; do
            is_installed "$package" || packages="$packages $package"
        done
    fi
    printf '%s\n' "${packages# }"
}

is_installed() {
    if command -v dpkg-query >/dev/null; then
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
    else
        # Whose package holds it does not matter elsewhere.
        case $1 in
        libegl1) has_library libEGL.so.1 ;;
        libgles2) has_library libGLESv2.so.2 ;;
        *) true ;;
        esac
    fi
}

packages=$(missing_packages)
if [ -z "$packages" ]; then
    say "nothing to do: found the driver $(find_driver)"
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    fail "missing here: what Debian calls $packages; this system has no apt-get, so install them with its own package manager
  Fedora: dnf install mesa-vulkan-drivers vulkan-loader; Arch: pacman -S vulkan-swrast vulkan-icd-loader"
fi

privilege=''
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "neither root nor sudo; ask an administrator to run: apt-get install $packages"
    privilege=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Word splitting is meant in $privilege and in $packages.
apt() {
    # shellcheck disable=SC2086
    $privilege env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 "$@" \
        >>"$log" 2>&1 </dev/null
}

# One unreachable source of several is no reason to give up: only installing decides.
apt update || true
# shellcheck disable=SC2086
if ! apt install --no-install-recommends -y $packages; then
    tail -n 5 "$log" >&2
    fail "could not install $packages (the last lines of apt-get are above); is this machine online?"
fi

if [ -z "$(find_driver)" ]; then
    fail "installed $packages, but no driver is found; VK_DRIVER_FILES='${VK_DRIVER_FILES:-}' and VK_ICD_FILENAMES='${VK_ICD_FILENAMES:-}' may point elsewhere"
fi
say "installed $packages"
